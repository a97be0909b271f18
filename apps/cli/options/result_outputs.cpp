#include "options/result_outputs.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "caucus/report/report.hpp"
#include "caucus/report/result_json.hpp"
#include "command.hpp"

namespace caucus::cli {

void add_result_flags(CLI::App& command, ResultFlags& flags, const char* model_help) {
  command.add_option("--json", flags.json, "results as JSON; - for standard output, nothing else")
      ->type_name("FILE|-")
      ->group("output");
  command
      .add_option("--report", flags.report,
                  "a page of charts that opens in a browser without a network")
      ->type_name("FILE.html")
      ->group("output");
  command.add_option("--model-out", flags.model_out, model_help)
      ->type_name("FILE")
      ->group("output");
}

ResultOutputs::ResultOutputs(const ResultFlags& flags) : prints_json_(flags.json == "-") {
  const auto add = [this](const char* flag, const std::string& path) {
    if (!path.empty()) outputs_.push_back({flag, path});
  };
  if (!prints_json_) add("--json", flags.json);
  add("--report", flags.report);
  add("--model-out", flags.model_out);
  add("--predictions", flags.predictions);
}

Status ResultOutputs::check(const std::vector<std::string>& inputs) const {
  return check_outputs(outputs_, inputs);
}

Status ResultOutputs::fill(const report::Json& result, const std::string& table) {
  const std::string json = report::json_text(result) + "\n";
  for (Output& output : outputs_) {
    const std::string_view flag = output.flag;
    if (flag == "--json") output.text = json;
    if (flag == "--report") {
      CAUCUS_TRY(output.text, report::report_html(result));
    }
  }
  printed_ = prints_json_ ? json : table;
  return Done{};
}

Status ResultOutputs::fill(const report::FinishedRun& run, const report::StoredModel& model) {
  for (Output& output : outputs_) {
    const std::string_view flag = output.flag;
    if (flag == "--model-out") output.text = report::json_text(report::model_json(model)) + "\n";
    if (flag == "--predictions") output.text = report::forecasts_csv(run);
  }
  return fill(report::result_json(run), report::result_table(run));
}

Status ResultOutputs::write() const {
  CAUCUS_CHECK(write_outputs(outputs_));
  return print(printed_);
}

}  // namespace caucus::cli
