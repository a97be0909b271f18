#include "caucus/core/base/text.hpp"
#include "caucus/data/class_names.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {

std::string forecasts_csv(const FinishedRun& run) {
  const bool classes = run.labels != LabelConvention::none;
  std::string text = "algorithm,client,round,row,forecast,target\n";
  for (const AlgorithmResult& result : run.result.results) {
    for (const GivenForecast& given : result.forecasts) {
      const Scaling& scaling = run.data.scaling;
      const auto y = static_cast<double>(given.y);
      const auto place = [&] {
        return result.algorithm + "," + std::to_string(given.client + 1) + "," +
               std::to_string(given.round + 1) + "," + std::to_string(given.row + 1) + ",";
      };
      if (!run.class_names.empty()) {
        text += place() + class_field(run.class_names[static_cast<std::size_t>(given.output)]) +
                "," + class_field(run.class_names[static_cast<std::size_t>(y)]) + "\n";
        continue;
      }
      const double target = classes ? written_label(y, run.labels) : scaling.target_original(y);
      // A class score has no unit; a regression prediction has that of the target.
      const double forecast = classes ? given.output : scaling.target_original(given.output);
      text += place() + to_text(forecast) + "," + to_text(target) + "\n";
    }
  }
  return text;
}

}  // namespace caucus::report
