#include "options/outputs.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "caucus/report/report.hpp"
#include "options/option.hpp"
#include "options/terminal.hpp"

namespace caucus::cli {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  const auto real = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, code), code).string();
  };
  return !a.empty() && !b.empty() && (a == b || real(a) == real(b)) && !a.starts_with("/dev/");
}

}  // namespace

Status check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, path, text, readers] = outputs[i];
    if (path == "-") return usage_error(flag, "'-'", "expected the name of a file");
    for (const std::string& input : inputs) {
      if (same_file(path, input)) {
        return usage_error(flag, "'" + path + "' is read by this run", "expected another file");
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (same_file(path, outputs[k].path)) {
        return usage_error(flag, "'" + path + "' is also given to " + outputs[k].flag,
                           "expected different files");
      }
    }
    // A pipe is not tried: its reader would take the end of the trial for the end of the data.
    if (std::error_code code; std::filesystem::is_other(path, code)) continue;
    CAUCUS_TRY(const OutputFile probe, OutputFile::create(path));  // removed at once
  }
  return Done{};
}

Status write_outputs(const std::vector<Output>& outputs) {
  std::vector<OutputFile> files;
  for (const Output& output : outputs) {
    CAUCUS_TRY(OutputFile file, OutputFile::create(output.path, output.readers));
    CAUCUS_CHECK(file.write(output.text));
    CAUCUS_CHECK(file.flush());
    files.push_back(std::move(file));
  }
  for (OutputFile& file : files) CAUCUS_CHECK(file.commit());
  return Done{};
}

Status write_text(const std::string& path, const std::string& text) {
  return path == "-" ? print(text) : write_outputs({{"", path, text}});
}

void say_scores(const report::StoredModel& model) {
  for (const std::string& line : report::score_lines(model.scores, model.loss)) {
    std::fprintf(stderr, "caucus: %s\n", line.c_str());
  }
}

void add_result_flags(CLI::App& command, ResultFlags& flags, const char* model_help) {
  for (CLI::Option* option :
       {add_option(command, "--json", "FILE|-", flags.json,
                   "results as JSON; - for standard output, nothing else"),
        add_option(command, "--report", "FILE.html", flags.report,
                   "a page of charts that opens in a browser without a network"),
        add_option(command, "--model-out", "FILE", flags.model_out, model_help)}) {
    option->group("output");
  }
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
  return fill(report::result_json(run), report::result_text(run, terminal_width(STDOUT_FILENO)));
}

Status ResultOutputs::write() const {
  CAUCUS_CHECK(write_outputs(outputs_));
  return print(printed_);
}

}  // namespace caucus::cli
