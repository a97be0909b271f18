// caucus report: makes a page of charts, or one picture, from a saved result.
#include <filesystem>
#include <optional>

#include "caucus/data/files/text_file.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/report.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"

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

Status execute_report(const ReportCommand& command) {
  constexpr std::size_t kMost = 1U << 30U;
  std::filesystem::path beside = command.result;  // result.json -> result.html
  beside.replace_extension(command.figure ? ".svg" : ".html");
  const std::string out = command.out.empty() ? beside.string() : command.out;
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
    const bool usage = text.error().kind == ErrorKind::usage;
    text.error().where = (usage ? "--" : command.result + ": ") + text.error().where;
    return std::move(text.error());
  }
  CAUCUS_CHECK(write_text(out, *text));
  return print(out + "\n");
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto [report, given] =
      add_command(app, action, "report", "Make a page of charts of a saved result", kReportExamples,
                  execute_report);
  add_option(report, "result", "RESULT.json", given.result, "written by --json of run or reproduce")
      ->required();
  add_option(report, "-o,--output", "FILE.html", given.out,
             "the page (the result's name with .html)");
  add_count(report, "--figure", "N", given.figure, 1, 1000,
            "only this figure of the page, as an SVG picture");
}

}  // namespace caucus::cli
