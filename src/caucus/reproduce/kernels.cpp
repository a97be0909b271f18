#include "caucus/reproduce/kernels.hpp"

#include <limits>
#include <utility>

namespace caucus::reproduce {

GridSetting gaussian_kernels(const Options& given, const std::string& algorithm, double radius) {
  GridSetting setting;
  setting.label = algorithm;
  for (const double width : kPaperWidths) {
    setting.options.spaces.push_back(Space{
        .kind = SpaceKind::gaussian, .radius = radius, .width = width, .features = kPaperFeatures});
  }
  setting.options.algorithms = {algorithm};
  setting.options.seed = given.seed;
  return setting;
}

GridSetting adaptive_kernels(const Options& given) {
  GridSetting setting =
      gaussian_kernels(given, "fomd-oms", std::numeric_limits<double>::infinity());
  setting.label = "fomd-oms, adaptive";
  return setting;
}

GridSetting constant_kernels(const Options& given) {
  GridSetting setting = gaussian_kernels(given, "fomd-oms", 2.0);
  setting.label = "fomd-oms, constant";
  setting.options.schedule.kind = ScheduleKind::constant;
  setting.options.schedule.eta = 16.0;
  setting.options.schedule.lambda = 0.5;
  setting.options.schedule.loss_bound = 3.0;
  return setting;
}

GridSetting baseline_kernels(const Options& given, const std::string& algorithm) {
  return gaussian_kernels(given, algorithm, 1.0);
}

Result<std::vector<PublishedData>> kernel_data(const Options& given,
                                               const std::vector<std::string>& built_in,
                                               bool always_built_in,
                                               std::vector<std::string>& skipped) {
  std::vector<PublishedData> sets;
  if (!given.quick && !given.data_dir.empty()) {
    CAUCUS_TRY(sets, read_published(given.data_dir, {"elevators", "bank"}, skipped));
  } else if (given.quick) {
    skipped.emplace_back("elevators, bank: a quick look takes built-in data");
  } else {
    skipped.emplace_back("elevators, bank: no --data-dir is given");
  }
  if (!sets.empty() && !always_built_in) return sets;
  for (const std::string& name : built_in) {
    CAUCUS_TRY(Dataset data, built_in_data(name, given.quick ? 3000 : 100000, given.seed));
    sets.push_back({"built-in " + name, std::move(data)});
  }
  return sets;
}

}  // namespace caucus::reproduce
