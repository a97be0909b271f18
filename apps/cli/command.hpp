// The commands of the program. Each declares its options and sets `action`, which main() runs after
// parsing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace CLI {
class App;
}

namespace caucus::cli {

using Action = std::function<Status()>;

using AddCommand = void(CLI::App& app, Action& action);
AddCommand add_run, add_predict, add_data, add_report, add_reproduce, add_advise, add_serve,
    add_join, add_status, add_export, add_cert, add_completion, add_man;

/// Returns the long flags and the subcommands of a command.
std::vector<std::string> words_of(const CLI::App& app);

/// Returns "did you mean ...?" if a known word is similar, else "expected one of ...".
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// Quotes a word for a shell.
std::string quoted(const std::string& word);

/// Returns the command line as it was given, quoted for a shell; main() sets it.
std::string& command_line();

/// Writes to standard output; a full disk is an error like any other.
Status print(const std::string& text);

}  // namespace caucus::cli
