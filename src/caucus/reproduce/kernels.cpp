#include "caucus/reproduce/kernels.hpp"

#include <limits>
#include <utility>

#include "caucus/data/generators.hpp"

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

void without_privacy(ExperimentOptions& options) {
  options.min_batch = 1;
  options.personal = false;
}

GridSetting adaptive_kernels(const Options& given) {
  GridSetting setting =
      gaussian_kernels(given, "fomd-oms", std::numeric_limits<double>::infinity());
  setting.label = "fomd-oms, adaptive";
  without_privacy(setting.options);
  return setting;
}

GridSetting constant_kernels(const Options& given, double radius, double eta, double lambda) {
  GridSetting setting = gaussian_kernels(given, "fomd-oms", radius);
  setting.label = "fomd-oms, constant";
  setting.options.schedule.kind = ScheduleKind::constant;
  setting.options.constants.eta = eta;
  setting.options.constants.lambda = lambda;
  setting.options.constants.loss_bound = radius + 1.0;
  return setting;
}

Result<std::vector<PublishedData>> kernel_data(const Options& given,
                                               const std::vector<std::string>& built_in,
                                               bool always_built_in,
                                               std::vector<std::string>& skipped) {
  std::vector<PublishedData> sets;
  if (!given.quick && !given.data_dir.empty()) {
    CAUCUS_TRY(sets, read_published(given.data_dir, {"elevators", "bank"}, false, skipped));
  } else if (given.quick) {
    skipped.emplace_back("elevators, bank: a quick look takes built-in data");
  } else {
    skipped.emplace_back("elevators, bank: no directory of data sets is given");
  }
  if (!sets.empty() && !always_built_in) return sets;
  for (const std::string& name : built_in) {
    GeneratorOptions options;
    options.rows = given.quick ? 3000 : 100000;
    options.seed = given.seed;
    CAUCUS_TRY(const Generator generator, make_generator(name, options));
    CAUCUS_TRY(Dataset data, generate_dataset(generator));
    sets.push_back({"built-in " + name, std::move(data)});
  }
  return sets;
}

}  // namespace caucus::reproduce
