// The commands. Each adds itself to the parser and puts what it does into `action`, which main runs
// once parsing is over.
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
    add_join, add_status, add_export, add_cert, add_completion;

/// The long flags and the subcommands of a command.
std::vector<std::string> words_of(const CLI::App& app);

/// "did you mean ...?" if a known word is near, else "expected one of ...".
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

/// Quotes a word for a shell.
std::string quoted(const std::string& word);

/// The command line as it was given, quoted for a shell; main fills it in.
std::string& command_line();

/// Writes to standard output; a full disk is an error like any other.
Status print(const std::string& text);

}  // namespace caucus::cli
