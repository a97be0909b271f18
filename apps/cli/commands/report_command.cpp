// caucus report: a page, or one picture, of a saved result.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "caucus/data/files/output_file.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/report.hpp"
#include "command.hpp"
#include "options/number_option.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kReportExamples = R"(Example:
  caucus run --data d.csv --algorithm fomd-oms --algorithm nco-oms --regret --json result.json
  caucus report result.json -o report.html
  caucus report result.json --figure 1 -o loss.svg

The page holds charts, tables, the configuration and the command that made the result. It is one
file that opens from disk in any browser, without a network.)";

struct ReportCommand {
  std::string result, out;
  std::optional<std::size_t> figure;
};

/// result.json -> result.html or result.svg, beside it.
std::string default_output(const ReportCommand& command) {
  return std::filesystem::path(command.result)
      .replace_extension(command.figure ? ".svg" : ".html")
      .string();
}

Status execute_report(const ReportCommand& command) {
  constexpr std::size_t kMost = 1U << 30U;
  const std::string out = command.out.empty() ? default_output(command) : command.out;
  if (out == "-") return usage_error("--output", "'-'", "expected the name of a file");
  std::error_code code;
  if (out == command.result || std::filesystem::equivalent(out, command.result, code)) {
    return usage_error("--output", "'" + out + "' is the result itself", "expected another file");
  }
  CAUCUS_TRY(const std::string source, read_text(command.result, ErrorKind::data, kMost));
  CAUCUS_TRY(const report::Json json,
             report::parse_json(source, command.result,
                                "expected a result of caucus run or caucus reproduce"));
  auto text =
      command.figure ? report::figure_svg(json, *command.figure) : report::report_html(json);
  if (!text.ok()) {
    if (text.error().kind == ErrorKind::data)
      text.error().where = command.result + ": " + text.error().where;
    return std::move(text.error());
  }
  CAUCUS_TRY(OutputFile file, OutputFile::create(out));
  CAUCUS_CHECK(file.write(*text));
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
  add_count(*report, "--figure", command->figure, 1, 1000,
            "only this figure of the page, as an SVG picture")
      ->type_name("N");
  report->footer(kReportExamples);
  report->callback([command, &action] { action = [command] { return execute_report(*command); }; });
}

}  // namespace caucus::cli
