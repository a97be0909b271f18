#include "caucus/reproduce/published.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "caucus/data/ranges.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::reproduce {
namespace {

struct Description {
  std::string name;
  std::size_t rows;              ///< that the paper used
  Interval feature_range;        ///< of the authors' scaling
  const char* scaled_like = "";  ///< minimum and maximum are those of this data set
};

const std::vector<Description> kDescriptions = {
    {"elevators", 16590, {-1, 1}},   {"bank", 8190, {-1, 1}},
    {"ailerons", 13750, {-1, 1}},    {"calhousing14000", 14000, {-1, 1}, "calhousing"},
    {"tomshardware", 28170, {0, 1}}, {"twitter", 50000, {0, 1}},
    {"year", 51630, {-1, 1}},        {"slice", 53500, {-1, 1}},
};

std::string find_file(const std::string& directory, const std::string& name) {
  for (const char* ending : {".csv.gz", ".csv"}) {
    const auto path = std::filesystem::path(directory) / (name + ending);
    std::error_code code;
    if (std::filesystem::exists(path, code)) return path.string();
  }
  return {};
}

Status check_directory(const std::string& directory) {
  std::error_code code;
  const std::filesystem::directory_iterator entries(directory, code);
  if (!code) return Done{};
  return data_error(directory, code.message(), "expected a directory with the paper's data sets");
}

Result<Dataset> read(const std::string& path, const std::string& ranges, Interval feature_range) {
  ReadOptions options;
  options.feature_range = feature_range;
  options.label_range = Interval{0.0, 1.0};
  if (!ranges.empty()) {
    CAUCUS_TRY(options.ranges, load_ranges(ranges));
  }
  return read_dataset({path}, options);
}

}  // namespace

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

std::vector<report::Json> error_cells(const Published& known, const std::vector<double>& mse) {
  const double ours = report::mean(mse);
  const auto to = [&](const std::optional<double>& other) {
    return other ? report::Json(percent(deviation(ours, *other))) : report::Json(nullptr);
  };
  return {report::or_null(known.paper),
          report::or_null(known.reference),
          ours,
          report::standard_deviation(mse),
          to(known.paper),
          to(known.reference)};
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  names.reserve(kDescriptions.size());
  for (const Description& each : kDescriptions) names.push_back(each.name);
  return names;
}

Result<std::vector<PublishedData>> read_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  bool needed, std::vector<std::string>& skipped) {
  CAUCUS_CHECK(check_directory(directory));
  std::vector<PublishedData> sets;
  for (const Description& wanted : kDescriptions) {
    if (std::find(names.begin(), names.end(), wanted.name) == names.end()) continue;
    const std::string path = find_file(directory, wanted.name);
    const std::string like = wanted.scaled_like;
    const std::string ranges = like.empty() ? "" : find_file(directory, like);
    if (path.empty() || (!like.empty() && ranges.empty())) {
      const std::string& absent = path.empty() ? wanted.name : like;
      skipped.push_back(wanted.name + ": there is no " + absent + ".csv.gz in " + directory);
      continue;
    }
    CAUCUS_TRY(Dataset data, read(path, ranges, wanted.feature_range));
    if (data.rows() < wanted.rows) {
      skipped.push_back(wanted.name + ": the file has " + report::grouped(data.rows()) +
                        " rows, the paper used " + report::grouped(wanted.rows) +
                        ": not comparable");
      continue;
    }
    sets.push_back({wanted.name, std::move(data)});
  }
  if (!sets.empty() || !needed) return sets;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return data_error(directory, "holds none of the data sets of this experiment",
                    "expected at least one of " + list + ", as NAME.csv.gz");
}

}  // namespace caucus::reproduce
