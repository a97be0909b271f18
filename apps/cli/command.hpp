// The commands. Each adds itself to the parser and puts what it does into `action`, which main runs
// once parsing is over.
#pragma once

#include <functional>
#include <string>

#include "caucus/result.hpp"

namespace CLI {
class App;
}

namespace caucus::cli {

using Action = std::function<Status()>;

void add_run(CLI::App& app, Action& action);
void add_predict(CLI::App& app, Action& action);
void add_data(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_advise(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_join(CLI::App& app, Action& action);
void add_status(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_cert(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

/// Quotes a word for a shell.
std::string quoted(const std::string& word);

/// The command line as it was given, quoted for a shell.
const std::string& command_line();
void remember_command_line(int argc, char** argv);

/// Writes to standard output; a full disk is an error like any other.
Status print(const std::string& text);

}  // namespace caucus::cli
