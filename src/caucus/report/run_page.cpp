// The page of a run: text, table and configuration. Its charts are in run_charts.cpp.
#include <algorithm>
#include <cmath>

#include "caucus/report/html_text.hpp"
#include "caucus/report/page.hpp"
#include "caucus/report/report.hpp"
#include "caucus/report/result_json.hpp"
#include "caucus/report/run_charts.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

std::string plural(double count, const std::string& one) {
  return figure(count) + " " + one + (count == 1.0 ? "" : "s");
}

/// Joins the parts that are known with a dot.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " · ") + part;
  return text;
}

/// Whether all results have the same schedule.
bool common_schedule(const RunRecord& run) {
  return std::all_of(run.results.begin(), run.results.end(), [&](const AlgorithmRecord& r) {
    return r.schedule == run.results.front().schedule;
  });
}

std::string facts(const RunRecord& run) {
  const AlgorithmRecord& first = run.results.front();
  std::vector<std::string> parts;
  if (std::isfinite(run.used)) {
    parts.push_back(figure(run.used) + " of " + figure(run.rows) + " rows");
  }
  if (std::isfinite(run.features)) parts.push_back(plural(run.features, "feature"));
  if (std::isfinite(run.clients)) {
    parts.push_back(plural(run.clients, "client") + " × " + plural(first.rounds, "round"));
  }
  if (!first.spaces.empty()) {
    parts.push_back(plural(static_cast<double>(first.spaces.size()), "space") +
                    (std::isfinite(first.sample) ? ", " + figure(first.sample) + " sampled" : ""));
  }
  if (!run.loss.empty()) parts.push_back(run.loss + " loss");
  if (common_schedule(run) && !first.schedule.empty()) {
    parts.push_back(first.schedule + " schedule");
  }
  if (std::isfinite(run.repeats)) parts.push_back(plural(run.repeats, "repetition"));
  return joined(parts);
}

double best_in_hindsight(const RunRecord& run) {
  double best = kUnknown;
  for (const double loss : run.best_in_hindsight) {
    if (std::isfinite(loss) && !(best <= loss)) best = loss;
  }
  return best;
}

/// The sentence that sums up the run.
std::string lead(const RunRecord& run) {
  const AlgorithmRecord* best = nullptr;
  for (const AlgorithmRecord& r : run.results) {
    const double score = run.score(r).mean;
    if (std::isfinite(score) && (best == nullptr || score < run.score(*best).mean)) best = &r;
  }
  if (best == nullptr) return "Every algorithm diverged.";
  const Spread& score = run.score(*best);
  std::string text = best->label + (run.results.size() > 1 ? " has the least " : " has the ") +
                     run.score_name() + ": " + figure_with_spread(score.mean, score.sd) + ".";
  if (std::isfinite(run.best_constant)) {
    text += " In hindsight, the best constant forecast would have had " + figure(run.best_constant);
    const double hindsight = best_in_hindsight(run);
    if (std::isfinite(hindsight)) {
      text += " and the best model of all spaces " + figure(hindsight);
    }
    text += ".";
  }
  return text;
}

std::string score_text(const RunRecord& run, const AlgorithmRecord& r) {
  const Spread& score = run.score(r);
  const std::string value =
      std::isfinite(score.mean) ? figure_with_spread(score.mean, score.sd) : "";
  if (r.diverged == 0.0) return value.empty() ? "diverged" : value;
  std::string times = "diverged";
  if (std::isfinite(run.repeats) && r.diverged < run.repeats) {
    times += " in " + figure(r.diverged) + " of " + figure(run.repeats);
  }
  return value.empty() ? times : value + "; " + times;
}

std::string most_likely(const AlgorithmRecord& r) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < r.probabilities.size(); ++i) {
    if (r.probabilities[i] > r.probabilities[best] || std::isnan(r.probabilities[best])) best = i;
  }
  if (r.probabilities.empty() || std::isnan(r.probabilities[best])) return "–";
  return shortened(r.spaces[best], 40) + " (" + figure(100.0 * r.probabilities[best], 3) + "%)";
}

std::string bits(double value) { return std::isfinite(value) ? bits_text(value) : "–"; }

double worst_regret(const AlgorithmRecord& r) {
  double worst = kUnknown;
  for (const double regret : r.regret) {
    if (std::isfinite(regret) && !(worst >= regret)) worst = regret;
  }
  return worst;
}

PageTable summary(const RunRecord& run) {
  const auto any = [&](auto has) {
    return std::any_of(run.results.begin(), run.results.end(), has);
  };
  const bool classes = any([](const auto& r) { return std::isfinite(r.accuracy); });
  const bool regret = any([](const auto& r) { return !r.regret.empty(); });
  const bool schedule = !common_schedule(run);
  PageTable table{{"algorithm"}, {}, {true}};
  if (schedule) {
    table.columns.emplace_back("schedule");
    table.words.push_back(true);
  }
  table.columns.push_back(run.score_name());
  if (classes) table.columns.insert(table.columns.end(), {"accuracy", "log loss"});
  if (regret) table.columns.emplace_back("regret");
  table.columns.insert(table.columns.end(), {"up", "down", "seconds", "most likely space"});
  table.words.resize(table.columns.size() - 1, false);
  table.words.push_back(true);
  for (const AlgorithmRecord& r : run.results) {
    auto& row = table.rows.emplace_back();
    row.push_back(r.label);
    if (schedule) row.push_back(r.schedule);
    row.push_back(score_text(run, r));
    if (classes) row.insert(row.end(), {figure(r.accuracy), figure(r.log_loss)});
    if (regret) row.push_back(figure(worst_regret(r)));
    row.insert(row.end(), {bits(r.upload_bits), bits(r.download_bits), figure(r.seconds.mean, 3),
                           most_likely(r)});
  }
  const auto yardstick = [&](const char* name, double loss) {
    if (!std::isfinite(loss)) return;
    auto& row = table.rows.emplace_back(table.columns.size());
    row[0] = name;
    row[schedule ? 2 : 1] = figure(loss);
  };
  yardstick("(best constant)", run.best_constant);
  yardstick("(best in hindsight)", best_in_hindsight(run));
  return table;
}

std::string summary_note(const RunRecord& run) {
  std::string text =
      "Losses are per example, of the forecasts given while learning, in scaled units; mean ± "
      "standard deviation over repetitions. Up and down: bits per client and round. Seconds: the "
      "whole loop of one repetition.";
  if (std::isfinite(worst_regret(run.results.front()))) {
    text +=
        " Regret: summed loss of all clients less that of the best model of the best space in "
        "hindsight.";
  }
  return text;
}

}  // namespace

Result<Page> run_page(const Json& result) {
  CAUCUS_TRY(const RunRecord run, read_run(result));
  Page page(run.data_name.empty() ? "Result of a run" : run.data_name, run.version);
  page.masthead("caucus run", facts(run));
  page.paragraph(lead(run), "lead");
  page.table(summary(run), "summary");
  page.paragraph(summary_note(run), "note");
  for (const ChartSection& section : run_charts(run)) {
    if (section.charts.empty()) continue;
    page.section(section.heading);
    for (const Chart& chart : section.charts) page.chart(chart);
  }
  if (run.config != nullptr) page.configuration(*run.config);
  return page;
}

}  // namespace caucus::report
