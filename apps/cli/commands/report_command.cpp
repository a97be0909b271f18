// caucus report: a page of a saved result.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "caucus/data/files/output_file.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/report.hpp"
#include "command.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kReportExamples = R"(Example:
  caucus run --data d.csv --algorithm fomd-oms --algorithm nco-oms --regret --json result.json
  caucus report result.json -o report.html

The page holds charts, tables, the configuration and the command that made the result. It is one
file that opens from disk in any browser, without a network.)";

struct ReportCommand {
  std::string result, out;
};

/// result.json -> result.html, beside it.
std::string default_output(const std::string& result) {
  return std::filesystem::path(result).replace_extension(".html").string();
}

Status execute_report(const ReportCommand& command) {
  constexpr std::size_t kMost = 1U << 30U;
  const std::string out = command.out.empty() ? default_output(command.result) : command.out;
  if (out == "-") return usage_error("--output", "'-'", "expected the name of a file");
  std::error_code code;
  if (out == command.result || std::filesystem::equivalent(out, command.result, code)) {
    return usage_error("--output", "'" + out + "' is the result itself", "expected another file");
  }
  CAUCUS_TRY(const std::string text, read_text(command.result, ErrorKind::data, kMost));
  CAUCUS_TRY(const report::Json json,
             report::parse_json(text, command.result,
                                "expected a result of caucus run or caucus reproduce"));
  auto html = report::report_html(json);
  if (!html.ok()) {
    html.error().where = command.result + ": " + html.error().where;
    return std::move(html.error());
  }
  CAUCUS_TRY(OutputFile file, OutputFile::create(out));
  CAUCUS_CHECK(file.write(*html));
  CAUCUS_CHECK(file.commit());
  return print(out + "\n");
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* report = app.add_subcommand("report", "Make a page of charts of a saved result");
  auto command = std::make_shared<ReportCommand>();
  report->add_option("result", command->result, "written by --json of run or reproduce")
      ->required()
      ->type_name("RESULT.json");
  report->add_option("-o,--output", command->out, "the page (the result's name with .html)")
      ->type_name("FILE.html");
  report->footer(kReportExamples);
  report->callback([command, &action] { action = [command] { return execute_report(*command); }; });
}

}  // namespace caucus::cli
