// The value of uploads: the MSE of every algorithm against the bits that a client sends and
// receives, for 1 to 100 rounds per upload. The paper has theory for R < T, but no experiment.
#include <algorithm>
#include <utility>

#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/reproduce/kernels.hpp"

namespace caucus::reproduce {
namespace {

constexpr double kOneWidth = 2.0;

std::vector<std::size_t> rounds_per_upload(bool quick) {
  if (quick) return {1, 10, 100};
  return {1, 2, 5, 10, 20, 50, 100};
}

std::vector<GridSetting> selecting(const Options& given) {
  return {adaptive_kernels(given),
          constant_kernels(given),
          gaussian_kernels(given, "em-kofl"),
          gaussian_kernels(given, "vm-kofl"),
          gaussian_kernels(given, "pm-kofl"),
          gaussian_kernels(given, "pof-mkl")};
}

/// The algorithms without model selection, on one kernel of middle width.
std::vector<GridSetting> of_one_kernel(const Options& given) {
  std::vector<GridSetting> settings;
  for (const char* algorithm : {"ofskl", "fed-omd", "fedposgd"}) {
    GridSetting setting = gaussian_kernels(given, algorithm, 2.0);
    std::erase_if(setting.options.spaces,
                  [](const Space& space) { return space.width != kOneWidth; });
    settings.push_back(std::move(setting));
  }
  return settings;
}

/// Each algorithm with every N, ordered by algorithm.
std::vector<GridSetting> with_every_N(const Options& given,
                                      const std::vector<GridSetting>& contenders) {
  std::vector<GridSetting> settings;
  for (const GridSetting& each : contenders) {
    for (const std::size_t N : rounds_per_upload(given.quick)) {
      settings.push_back(each);
      settings.back().options.rounds_per_upload = N;
    }
  }
  return settings;
}

/// NCO-OMS sends nothing for any N: its clients learn on their own after every round.
GridSetting alone(GridSetting setting, const std::string& label) {
  setting.label = label;
  setting.options.algorithms = {"nco-oms"};
  setting.options.rounds_per_upload = 1;
  return setting;
}

/// The settings of a grid share their spaces, so there are two grids: all kernels, and one.
std::vector<std::vector<GridSetting>> grids_of(const Options& given) {
  auto all_kernels = with_every_N(given, selecting(given));
  all_kernels.push_back(alone(constant_kernels(given), "nco-oms, constant"));
  all_kernels.push_back(alone(adaptive_kernels(given), "nco-oms, adaptive"));
  return {std::move(all_kernels), with_every_N(given, of_one_kernel(given))};
}

struct Played {
  GridSetting setting;
  GridScore score;
};

double mse_of(const std::vector<Played>& played, const std::string& label, std::size_t N) {
  const auto found = std::find_if(played.begin(), played.end(), [&](const Played& each) {
    return each.setting.label == label && each.setting.options.rounds_per_upload == N;
  });
  return report::mean(found->score.mse);
}

double bits_of(const GridScore& score) {
  return score.upload_bits_per_client_round + score.download_bits_per_client_round;
}

void add_findings(const std::string& name, const std::vector<Played>& played, Reproduction& found) {
  FoundTable table{name + ": MSE for N rounds per upload",
                   "bits per client and round, amortised over N; NCO-OMS sends none. ofskl, "
                   "fed-omd and fedposgd "
                   "do not select: they learn the kernel of width " +
                       report::rounded(kOneWidth) +
                       " alone. The paper has no experiment with R < T",
                   {"algorithm", "N", "MSE", "sd", "bits up", "bits down", "diverged"},
                   {}};
  LineChart chart{{name + ": MSE against bits per client and round",
                   "up and down together; from right to left N = 1 .. 100. The dashed lines are "
                   "NCO-OMS, which sends nothing"},
                  {"bits per client and round", Scale::log},
                  {"MSE", Scale::log}};
  double least = bits_of(played.front().score);
  double most = least;
  for (const auto& [setting, score] : played) {
    const std::size_t N = setting.options.rounds_per_upload;
    table.rows.push_back({setting.label, N, report::mean(score.mse),
                          report::standard_deviation(score.mse),
                          report::bits_text(score.upload_bits_per_client_round),
                          report::bits_text(score.download_bits_per_client_round), score.diverged});
    if (bits_of(score) == 0.0) {
      const double level = report::mean(score.mse);
      chart.series.push_back(
          {setting.label, {least, most}, {level, level}, {}, {}, LineStyle::dashed});
      continue;
    }
    if (N == 1) chart.series.push_back({setting.label, {}, {}, {}, {}});
    if (score.diverged < score.mse.size()) chart.series.back().add(bits_of(score), score.mse);
    least = std::min(least, bits_of(score));
    most = std::max(most, bits_of(score));
  }

  for (auto& series : chart.series) {  // by increasing bits, so that names are at the right ends
    for (auto* values : {&series.x, &series.y, &series.low, &series.high}) {
      std::reverse(values->begin(), values->end());
    }
  }

  const double each_round = mse_of(played, "fomd-oms, adaptive", 1);
  const double rarely = mse_of(played, "fomd-oms, adaptive", 100);
  const double none = mse_of(played, "nco-oms, adaptive", 1);
  found.verdicts.push_back(
      {name + ": FOMD-OMS (adaptive) with N = 100 is still better than NCO-OMS "
              "(adaptive) without any bit",
       rarely < none,
       "MSE " + report::rounded(each_round) + " for N = 1, " + report::rounded(rarely) +
           " for N = 100, NCO-OMS " + report::rounded(none)});
  found.tables.push_back(std::move(table));
  found.charts.emplace_back(std::move(chart));
}

}  // namespace

Result<Reproduction> communication(const Options& options, Progress& progress) {
  Reproduction found;
  CAUCUS_TRY(const auto sets, kernel_data(options, {"kernel"}, false, found.skipped));
  const auto grids = grids_of(options);
  const GridRepetitions repetitions{0, options.reported()};
  for (const PublishedData& set : sets) {
    for (const auto& grid : grids) progress.total += grid_examples(set.data, grid, repetitions);
  }
  for (const PublishedData& set : sets) {
    std::vector<Played> played;
    for (const auto& grid : grids) {
      CAUCUS_TRY(auto scores, play_grid(set.data, grid, repetitions, options.threads, progress));
      for (std::size_t s = 0; s < grid.size(); ++s) {
        played.push_back({grid[s], std::move(scores[s])});
      }
    }
    add_findings(set.name, played, found);
  }
  return found;
}

}  // namespace caucus::reproduce
