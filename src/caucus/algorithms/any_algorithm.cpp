#include "caucus/algorithms/any_algorithm.hpp"

#include <utility>

#include "caucus/algorithms/algorithm.hpp"

namespace caucus {

static_assert(Algorithm<FomdOms>);
static_assert(Algorithm<NcoOms>);
static_assert(Algorithm<FirstOrderOms>);
static_assert(Algorithm<NcoFirstOrder>);
static_assert(Algorithm<StatisticsOms>);
static_assert(Algorithm<NcoStatistics>);

namespace {

using Settings = std::shared_ptr<const BaselineSettings>;

struct NamedBaseline {
  std::string name;
  bool one_space;
  AnyAlgorithm (*make)(const Settings&);
};

template <class A>
AnyAlgorithm make(const Settings& settings) {
  return A(settings);
}

const std::vector<NamedBaseline>& baselines() {
  static const std::vector<NamedBaseline> list = {
      {"em-kofl", false, make<EmKofl>},   {"vm-kofl", false, make<VmKofl>},
      {"pm-kofl", false, make<PmKofl>},   {"pof-mkl", false, make<PofMkl>},
      {"ofskl", true, make<PofMkl>},      {"fed-omd", true, make<FedOmd>},
      {"fedposgd", true, make<FedPosgd>},
  };
  return list;
}

const NamedBaseline* find_baseline(const std::string& name) {
  for (const NamedBaseline& baseline : baselines()) {
    if (baseline.name == name) return &baseline;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list = {"fomd-oms", "nco-oms"};
    for (const NamedBaseline& baseline : baselines()) list.push_back(baseline.name);
    return list;
  }();
  return names;
}

bool is_cooperative(const std::string& name) { return name != "nco-oms"; }

bool is_baseline(const std::string& name) { return find_baseline(name) != nullptr; }

bool needs_one_space(const std::string& name) {
  const NamedBaseline* baseline = find_baseline(name);
  return baseline != nullptr && baseline->one_space;
}

AnyAlgorithm make_algorithm(const std::string& name, const AnySettings& settings,
                            std::size_t clients) {
  if (const NamedBaseline* baseline = find_baseline(name)) {
    return baseline->make(std::get<Settings>(settings));
  }
  const bool cooperative = is_cooperative(name);
  if (const auto* adaptive = std::get_if<std::shared_ptr<const FirstOrderSettings>>(&settings)) {
    if (cooperative) return FirstOrderOms(*adaptive);
    return NcoFirstOrder(*adaptive, clients);
  }
  if (const auto* sums = std::get_if<std::shared_ptr<const StatisticsSettings>>(&settings)) {
    if (cooperative) return StatisticsOms(*sums);
    return NcoStatistics(*sums, clients);
  }
  const auto& rates = std::get<std::shared_ptr<const OmsSettings>>(settings);
  if (cooperative) return FomdOms(rates);
  return NcoOms(rates, clients);
}

}  // namespace caucus
