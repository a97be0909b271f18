// Clients with different data (Dirichlet splits by the target) and lost reports (dropout). The
// paper's experiments have neither.
#include <cmath>
#include <utility>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/reproduce/kernels.hpp"

namespace caucus::reproduce {
namespace {

struct Split {
  std::string name;
  PartitionSpec spec;
};

std::vector<Split> splits(bool quick) {
  std::vector<Split> list = {{"shuffle", {}}};
  const auto strengths =
      quick ? std::vector<double>{10, 0.1} : std::vector<double>{10, 1, 0.3, 0.1, 0.05};
  for (const double A : strengths) {
    PartitionSpec spec;
    spec.kind = PartitionSpec::Kind::dirichlet;
    spec.concentration = A;
    list.push_back({"dirichlet:" + report::rounded(A), spec});
  }
  return list;
}

std::vector<double> dropouts(bool quick) {
  if (quick) return {0.0, 0.3};
  return {0.0, 0.1, 0.3, 0.5};
}

std::vector<GridSetting> contenders(const Options& given) {
  GridSetting theory = constant_kernels(given);
  theory.label = "fomd-oms, theory";
  theory.options.constants = {};
  theory.options.schedule.kind = ScheduleKind::theory;
  return {adaptive_kernels(given), theory, gaussian_kernels(given, "em-kofl"),
          gaussian_kernels(given, "pof-mkl")};
}

/// The settings, ordered by algorithm and then by dropout.
std::vector<GridSetting> settings_of(const Options& given, const Split& split) {
  std::vector<GridSetting> settings;
  for (const GridSetting& each : contenders(given)) {
    for (const double dropout : dropouts(given.quick)) {
      settings.push_back(each);
      settings.back().options.dropout = dropout;
      settings.back().options.partition = split.spec;
    }
  }
  return settings;
}

/// The claim about 30% lost reports, for one family of algorithms.
Verdict claim_about(const std::string& who) {
  return {who +
              ": with 30% of the reports lost at random, the mean loss on the built-in data is "
              "within 10% of that without loss",
          true, ""};
}

void note_changes(const std::string& data, const std::vector<GridSetting>& settings,
                  const std::vector<GridScore>& scores, Verdict& fomd, Verdict& others) {
  std::size_t none = 0;  // the same algorithm without lost reports
  for (std::size_t s = 0; s < settings.size(); ++s) {
    if (settings[s].options.dropout == 0.0) none = s;
    if (settings[s].options.dropout != 0.3) continue;
    Verdict& verdict = is_baseline(settings[s].options.algorithms.front()) ? others : fomd;
    const double more = deviation(report::mean(scores[s].loss), report::mean(scores[none].loss));
    add_evidence(verdict, data + " " + settings[s].label, more, std::abs(more) < 10.0);
  }
}

}  // namespace

Result<Reproduction> heterogeneous(const Options& options, Progress& progress) {
  Reproduction found;
  CAUCUS_TRY(const auto sets, kernel_data(options, {"kernel", "linear"}, true, found.skipped));
  const GridRepetitions repetitions{0, options.reported()};
  const auto list = splits(options.quick);
  for (const PublishedData& set : sets) {
    progress.total +=
        list.size() * grid_examples(set.data, settings_of(options, list.front()), repetitions);
  }
  Verdict fomd = claim_about("FOMD-OMS");
  Verdict others = claim_about("eM-KOFL and POF-MKL");
  for (const PublishedData& set : sets) {
    FoundTable table{
        set.name + ": mean loss of heterogeneous clients, with lost reports",
        "dirichlet:A deals each range of the target to the clients by shares drawn "
        "from Dirichlet(A): small A, different clients. The paper has neither",
        {"split", "dropout", "algorithm", "mean loss", "sd", "worst client", "diverged"},
        {}};
    LineChart chart{{set.name + ": what lost reports cost",
                     "shuffled rows; mean over repetitions and one standard deviation"},
                    {"share of reports lost"},
                    {"mean loss", Scale::log}};
    for (const Split& split : list) {
      const auto settings = settings_of(options, split);
      CAUCUS_TRY(const auto scores,
                 play_grid(set.data, settings, repetitions, options.threads, progress));
      for (std::size_t s = 0; s < settings.size(); ++s) {
        const double dropout = settings[s].options.dropout;
        table.rows.push_back({split.name, dropout, settings[s].label, report::mean(scores[s].loss),
                              report::standard_deviation(scores[s].loss),
                              report::mean(scores[s].worst_client), scores[s].diverged});
        if (&split != &list.front()) continue;
        if (dropout == 0.0) chart.series.push_back({settings[s].label, {}, {}, {}, {}});
        chart.series.back().add(dropout, scores[s].loss);
      }
      if (&split == &list.front() && set.name.starts_with("built-in")) {
        note_changes(set.name, settings, scores, fomd, others);
      }
    }
    found.tables.push_back(std::move(table));
    found.charts.emplace_back(std::move(chart));
  }
  found.verdicts = {fomd, others};
  return found;
}

}  // namespace caucus::reproduce
