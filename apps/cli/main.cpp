// caucus: parses the command line, runs one command, and turns an error into one line and an exit
// code.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "caucus/core/base/text.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/wire/grpc_log.hpp"
#include "command.hpp"
#include "options/help.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "caucus: error: %s\n", error.line().c_str());
  return static_cast<int>(error.kind);
}

/// Turns a failure of the parser into an error that names the deepest command that was reached and
/// suggests what was meant.
Error usage_of(const CLI::App& app, const CLI::ParseError& problem) {
  const CLI::App* reached = &app;
  std::string name = "caucus";
  while (!reached->get_subcommands().empty()) {
    reached = reached->get_subcommands().front();
    name += " " + reached->get_name();
  }
  std::string expected = "see " + name + " --help";
  const auto strays = app.remaining(true);
  if (strays.empty()) return usage_error(name, problem.what(), expected);
  const auto guess = nearest(strays.front(), words_of(*reached));
  if (guess) expected = "did you mean '" + *guess + "'?";
  return usage_error(name, "'" + strays.front() + "' is not known here", expected);
}

/// Refuses options with an empty value. None needs one, and otherwise a file name from an unset
/// shell variable would be ignored.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_min() == 0) continue;
    option->check([](const std::string& value) {
      return value.empty() ? std::string("the value is empty") : std::string();
    });
  }
  for (CLI::App* sub : app.get_subcommands({})) refuse_empty_values(*sub);
}

/// Selects the variant of the kernels that the environment variable CAUCUS_SIMD names, if any.
Status choose_kernels() {
  const char* name = std::getenv("CAUCUS_SIMD");  // NOLINT(concurrency-mt-unsafe): one thread yet
  return name == nullptr ? Status(Done{}) : simd::select(name);
}

int run(int argc, char** argv) {
  for (int a = 1; a < argc; ++a) command_line() += " " + quoted(argv[a]);
  wire::silence_grpc();
  CLI::App app(
      "caucus trains several candidate models across your sites and finds out which one is best.");
  app.name("caucus");
  app.formatter(std::make_shared<HelpFormatter>());  // commands that are added inherit it
  app.set_help_flag("-h,--help", "show this help and exit");
  app.set_version_flag("--version", "caucus " + version(), "show the version and exit");
  app.require_subcommand(1);
  app.footer(
      "Example:\n  caucus run --data elevators.csv.gz --feature-range -1,1 --label-range 0,1");
  Action action;
  for (AddCommand* add :
       {add_run, add_predict, add_data, add_report, add_reproduce, add_advise, add_serve, add_join,
        add_status, add_export, add_cert, add_completion, add_man}) {
    add(app, action);
  }
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // or the version
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    return fail(usage_of(app, problem));
  } catch (const std::logic_error&) {  // thrown by CLI11 for --switch=text
    return fail(usage_error("caucus", "a switch has an invalid value",
                            "expected the switch alone, or =true or =false"));
  }
  Status status = choose_kernels();
  if (status.ok()) status = action();
  return status.ok() ? 0 : fail(status.error());
}

}  // namespace
}  // namespace caucus::cli

int main(int argc, char** argv) {
  using caucus::cli::fail;
  std::signal(SIGXFSZ, SIG_IGN);  // beyond the limit on file sizes a write fails
  try {
    return caucus::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail({caucus::ErrorKind::internal, "memory", "there is not enough",
                 "expected room for the data and the models"});
  } catch (const std::exception& error) {
    return fail({caucus::ErrorKind::internal, "internal", error.what(), "please report this"});
  }
}
