// The page of a run: text, table and configuration. Its charts are in run_charts.cpp.
#include <algorithm>
#include <cmath>

#include "caucus/report/answer/answer.hpp"
#include "caucus/report/answer/phrases.hpp"
#include "caucus/report/html_text.hpp"
#include "caucus/report/report.hpp"
#include "caucus/report/run_charts.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

bool common_schedule(const RunRecord& run) {
  return std::all_of(run.results.begin(), run.results.end(), [&](const AlgorithmRecord& r) {
    return r.schedule == run.results.front().schedule;
  });
}

std::string facts(const RunRecord& run) {
  const AlgorithmRecord& first = run.results.front();
  std::string text;
  const auto add = [&](bool known, const std::string& part) {
    if (known) text += (text.empty() ? "" : " · ") + part;
  };
  add(std::isfinite(run.used), figure(run.used) + " of " + figure(run.rows) + " rows");
  add(std::isfinite(run.features), counted(run.features, "feature"));
  add(std::isfinite(run.clients),
      counted(run.clients, "client") + " × " + counted(first.rounds, "round"));
  add(!first.spaces.empty(),
      counted(static_cast<double>(first.spaces.size()), "space") +
          (std::isfinite(first.sample_size) ? ", " + figure(first.sample_size) + " sampled" : ""));
  add(!run.loss.empty(), run.loss + " loss");
  add(common_schedule(run) && !first.schedule.empty(), first.schedule + " schedule");
  add(std::isfinite(run.repeats), counted(run.repeats, "repetition"));
  return text;
}

std::string score_text(const RunRecord& run, const AlgorithmRecord& r) {
  const Spread& score = run.score(r);
  const std::string value =
      std::isfinite(score.mean) ? figure_with_spread(score.mean, score.sd) : "";
  if (r.diverged == 0.0) return value.empty() ? "unknown" : value;
  std::string times = "diverged";
  if (std::isfinite(run.repeats) && r.diverged < run.repeats) {
    times += " in " + figure(r.diverged) + " of " + figure(run.repeats);
  }
  return value.empty() ? times : value + "; " + times;
}

std::string most_likely_space(const AlgorithmRecord& r) {
  const double most = largest(r.probabilities);
  if (std::isnan(most)) return "–";
  const auto best = std::find(r.probabilities.begin(), r.probabilities.end(), most);
  return shortened(r.spaces[static_cast<std::size_t>(best - r.probabilities.begin())], 40) + " (" +
         figure(100.0 * most, 3) + "%)";
}

std::string bits(double value) { return std::isfinite(value) ? bits_text(value) : "–"; }

TextTable summary(const RunRecord& run) {
  using Record = const AlgorithmRecord&;
  const auto any = [&](auto has) {
    return std::any_of(run.results.begin(), run.results.end(), has);
  };
  TextTable table;
  const auto words = [&](const char* name, const auto& cell) {
    table.add_column(name, true, run.results, cell);
  };
  const auto numbers = [&](const std::string& name, const auto& cell) {
    table.add_column(name, false, run.results, cell);
  };
  words("algorithm", [](Record r) { return r.label; });
  const bool schedule = !common_schedule(run);
  if (schedule) words("schedule", [](Record r) { return r.schedule; });
  numbers(run.score_name(), [&](Record r) { return score_text(run, r); });
  if (any([](Record r) { return std::isfinite(r.rmse); })) {
    numbers("RMSE", [](Record r) { return figure(r.rmse); });
    numbers("MAE", [](Record r) { return figure(r.mae); });
    numbers("R2", [](Record r) { return std::isnan(r.r2) ? "–" : fixed(r.r2, 3); });
  }
  if (any([](Record r) { return std::isfinite(r.accuracy); })) {
    numbers("accuracy", [](Record r) { return figure(r.accuracy); });
    numbers("log loss", [](Record r) { return figure(r.log_loss); });
  }
  if (any([](Record r) { return knows_all(r.regret); })) {
    numbers("regret", [](Record r) { return figure(largest(r.regret)); });
  }
  numbers("up", [](Record r) { return bits(r.upload_bits); });
  numbers("down", [](Record r) { return bits(r.download_bits); });
  numbers("seconds", [](Record r) { return figure(r.seconds.mean, 3); });
  words("most likely space", most_likely_space);
  const BaselineRecord& baselines = run.results.front().baselines;
  const auto yardstick = [&](const char* name, double loss, double squared = kUnknown) {
    if (!std::isfinite(loss) && !std::isfinite(squared)) return;
    auto& row = table.rows.emplace_back(table.columns.size());
    row[0] = name;
    row[schedule ? 2 : 1] = std::isfinite(loss) ? figure(loss) : "";
    const auto rmse = std::find(table.columns.begin(), table.columns.end(), "RMSE");
    const double root = run.in_units(squared);
    if (rmse == table.columns.end() || !std::isfinite(root)) return;
    row[static_cast<std::size_t>(rmse - table.columns.begin())] = figure(root);
  };
  const bool known = std::isfinite(run.best_constant) || !run.is_square();
  yardstick("(best constant)", known ? run.best_constant : baselines.constant, baselines.constant);
  if (run.in_order) {
    yardstick("(last target)", run.is_square() ? baselines.persistence : kUnknown,
              baselines.persistence);
  }
  yardstick("(best in hindsight)", least(run.best_in_hindsight));
  return table;
}

std::string summary_note(const RunRecord& run) {
  std::string text =
      "Losses are per example, of the forecasts given while learning, in scaled units" +
      std::string(run.repeats > 1.0 ? "; mean ± standard deviation over repetitions" : "") +
      ". Up and down: bits per client and round. Seconds: the whole loop of one repetition.";
  if (std::isfinite(run.results.front().rmse)) {
    text +=
        " RMSE and MAE are in the units of the target: the root of the mean squared error, and the "
        "mean absolute error. R2 is the share of the squared error of the mean that is explained.";
  }
  if (knows_all(run.results.front().regret)) {
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
  const Answer answer = answer_of(run);
  page.paragraph(answer.text, "lead");
  for (const std::string& hint : answer.advice) page.paragraph("Next: " + hint, "next");
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
