#include "caucus/reproduce/published.hpp"

#include <map>

namespace caucus::reproduce {

const PublishedRow& published_table3(const std::string& data) {
  static const std::map<std::string, PublishedRow> rows = {
      {"elevators", {{{.00980, .00979}, {.00991, .00991}, {.01024, .01023}, {.01168, .01167}}}},
      {"bank", {{{.02020, .02009}, {.02158, .02157}, {.02118, .02115}, {.02321, .02312}}}},
      {"ailerons", {{{.19480, .19477}, {.19506, .19519}, {.19820, .19809}, {.20323, .20331}}}},
      {"calhousing14000",
       {{{.10136, .10140}, {.10166, .10183}, {.10227, .10223}, {.10372, .10384}}}},
      {"tomshardware", {{{.00083, .00090}, {.00090, .00093}, {.00107, .00110}, {.00150, .00152}}}},
      {"twitter", {{{.00017}, {.00017}, {.00017}, {.00018}}}},
      {"year", {{{.20096}, {.20322}, {.22705}, {.24334}}}},
      {"slice", {{{.12964}, {.13097}, {.13038}, {.13364}}}},
  };
  return rows.at(data);
}

Published published_table4(const std::string& data, const std::string& algorithm) {
  using Values = std::map<std::string, Published>;
  static const std::map<std::string, Values> known = {
      {"elevators",
       {{"fomd-oms", {.00318, .0030}},
        {"em-kofl", {.00292, .0025}},
        {"pof-mkl", {{}, .0033}},
        {"pof-mkl-as-published", {.00806, .0076}}}},
      {"bank",
       {{"fomd-oms", {.01917, .0170}},
        {"em-kofl", {.01942, .0193}},
        {"pof-mkl", {{}, .0188}},
        {"pof-mkl-as-published", {.02292, .0222}}}},
      {"ailerons",
       {{"fomd-oms", {.00429, .0047}},
        {"em-kofl", {.00370, .0036}},
        {"pof-mkl", {{}, .0044}},
        {"pof-mkl-as-published", {.01335, .0114}}}},
      {"calhousing14000",
       {{"fomd-oms", {.02373, .0233}},
        {"em-kofl", {.02242, .0225}},
        {"pof-mkl", {{}, .0252}},
        {"pof-mkl-as-published", {.05248, .0508}}}},
      {"tomshardware",
       {{"fomd-oms", {.00059}}, {"em-kofl", {.00048}}, {"pof-mkl-as-published", {.00188}}}},
      {"twitter",
       {{"fomd-oms", {.00010}}, {"em-kofl", {.00007}}, {"pof-mkl-as-published", {.00020}}}},
      {"year", {{"fomd-oms", {.01534}}, {"em-kofl", {.01481}}, {"pof-mkl-as-published", {.01896}}}},
      {"slice",
       {{"fomd-oms", {.05698}}, {"em-kofl", {.05781}}, {"pof-mkl-as-published", {.08675}}}},
  };
  const Values& values = known.at(data);
  const auto found = values.find(algorithm);
  return found == values.end() ? Published{} : found->second;
}

}  // namespace caucus::reproduce
