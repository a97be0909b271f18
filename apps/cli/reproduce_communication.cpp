// What an upload is worth: the MSE of every algorithm against the bits that a client sends and
// receives, for 1 to 100 rounds per upload. The paper has the theory of R < T but no experiment.
#include <algorithm>
#include <utility>

#include "reproduce_kernels.hpp"
#include "statistics.hpp"
#include "text_table.hpp"

namespace caucus::cli {
namespace {

std::vector<std::size_t> rounds_per_upload(bool quick) {
  if (quick) return {1, 10, 100};
  return {1, 2, 5, 10, 20, 50, 100};
}

std::vector<GridSetting> contenders(const ReproduceOptions& given) {
  return {adaptive_kernels(given),
          constant_kernels(given),
          baseline_kernels(given, "em-kofl"),
          baseline_kernels(given, "vm-kofl"),
          baseline_kernels(given, "pm-kofl"),
          baseline_kernels(given, "pof-mkl")};
}

/// NCO-OMS sends nothing, whatever N is: its copies learn alone after every round.
GridSetting alone(GridSetting setting, const std::string& label) {
  setting.label = label;
  setting.options.algorithms = {"nco-oms"};
  return setting;
}

/// Contender by contender, and within it by N; NCO-OMS last, the adaptive one at the end.
std::vector<GridSetting> settings_of(const ReproduceOptions& given) {
  std::vector<GridSetting> settings;
  for (const GridSetting& each : contenders(given)) {
    for (const std::size_t N : rounds_per_upload(given.quick)) {
      settings.push_back(each);
      settings.back().options.rounds_per_upload = N;
    }
  }
  settings.push_back(alone(constant_kernels(given), "nco-oms, constant"));
  settings.push_back(alone(adaptive_kernels(given), "nco-oms, adaptive"));
  return settings;
}

double bits_of(const GridScore& score) {
  return score.upload_bits_per_client_round + score.download_bits_per_client_round;
}

void add_findings(const ReproduceOptions& given, const std::string& name,
                  const std::vector<GridSetting>& settings, const std::vector<GridScore>& scores,
                  Reproduction& found) {
  ReproduceTable table{
      name + ": MSE for N rounds per upload",
      "bits per client and round, amortised over N; NCO-OMS sends none. The paper "
      "has no experiment with R < T. The algorithms of one space (ofskl, fed-omd, fedposgd) do "
      "not select and are left out",
      {"algorithm", "N", "MSE", "sd", "bits up", "bits down", "diverged"},
      {}};
  ReproduceChart chart{
      name + ": MSE against bits per client and round",
      "up and down together; from right to left N = 1 .. 100. The dashed lines are "
      "NCO-OMS, which sends nothing",
      {"bits per client and round", "log"},
      {"MSE", "log"},
      {}};
  double least = bits_of(scores.front());
  double most = least;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const GridScore& score = scores[s];
    const std::size_t N = settings[s].options.rounds_per_upload;
    table.rows.push_back({settings[s].label, N, mean(score.mse), standard_deviation(score.mse),
                          bits_text(score.upload_bits_per_client_round),
                          bits_text(score.download_bits_per_client_round), score.diverged});
    if (bits_of(score) == 0.0) {
      const double level = mean(score.mse);
      chart.series.push_back({settings[s].label, {least, most}, {level, level}, {}, {}, "dashed"});
      continue;
    }
    if (N == 1) chart.series.push_back({settings[s].label, {}, {}, {}, {}});
    if (score.diverged < score.mse.size()) chart.series.back().add(bits_of(score), score.mse);
    least = std::min(least, bits_of(score));
    most = std::max(most, bits_of(score));
  }

  for (auto& series : chart.series) {  // by rising bits, so that a line's name stands at its right
    for (auto* values : {&series.x, &series.y, &series.low, &series.high}) {
      std::reverse(values->begin(), values->end());
    }
  }

  const std::size_t per_contender = rounds_per_upload(given.quick).size();
  const double each_round = mean(scores.front().mse);
  const double rarely = mean(scores[per_contender - 1].mse);
  const double none = mean(scores.back().mse);
  found.verdicts.push_back({name +
                                ": FOMD-OMS (adaptive) with N = 100 is still better than NCO-OMS "
                                "(adaptive) without any bit",
                            rarely < none,
                            "MSE " + rounded(each_round) + " for N = 1, " + rounded(rarely) +
                                " for N = 100, NCO-OMS " + rounded(none)});
  found.tables.push_back(std::move(table));
  found.charts.push_back(std::move(chart));
}

}  // namespace

Result<Reproduction> reproduce_communication(const ReproduceOptions& options, Progress& progress) {
  Reproduction found;
  CAUCUS_TRY(const auto sets, kernel_data(options, {"kernel"}, false, found.skipped));
  const auto settings = settings_of(options);
  const auto repetitions = reported_repetitions(options);
  for (const PublishedData& set : sets) {
    progress.total += grid_examples(set.data, settings, repetitions);
  }
  for (const PublishedData& set : sets) {
    CAUCUS_TRY(const auto scores,
               play_grid(set.data, settings, repetitions, options.threads, progress));
    add_findings(options, set.name, settings, scores, found);
  }
  return found;
}

}  // namespace caucus::cli
