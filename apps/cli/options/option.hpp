// Adds commands and their options to the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "caucus/credentials.hpp"
#include "command.hpp"
#include "options/values.hpp"

namespace caucus::cli {

/// A command in the parser, and the values that the command line gives it.
template <class Given>
struct AddedCommand {
  CLI::App& app;
  Given& given;
};

/// Adds a command. `execute` runs with the given values after parsing.
template <class Given>
AddedCommand<Given> add_command(CLI::App& parent, Action& action, const char* name,
                                const char* meaning, const std::string& examples,
                                Status (*execute)(const Given&)) {
  CLI::App* command = parent.add_subcommand(name, meaning);
  auto given = std::make_shared<Given>();
  command->footer(examples);
  command->callback([=, &action] { action = [=] { return execute(*given); }; });
  return {*command, *given};
}

/// Adds an option with a value, which the help shows as `value_name`.
template <class Value>
CLI::Option* add_option(CLI::App& command, const char* flag, const char* value_name, Value& value,
                        const char* help) {
  return command.add_option(flag, value, help)->type_name(value_name);
}

/// Adds an option for a whole number from `least` to `most`, which is parsed as strictly as the
/// settings of a run (CLI11 itself would take -1 for a very large count).
template <class Count>
CLI::Option* add_count(CLI::App& command, const std::string& flag, const char* value_name,
                       Count& value, std::uint64_t least, std::uint64_t most, const char* help) {
  const auto set = [=, &value](const std::string& text) {
    const auto count = parse_count(text);
    if (!count.ok() || *count < least || *count > most) {
      throw CLI::ValidationError(flag, "'" + text + "' is not a whole number from " +
                                           std::to_string(least) + " to " + std::to_string(most));
    }
    value = static_cast<Count>(*count);
  };
  return command.add_option_function<std::string>(flag, set, help)->type_name(value_name);
}

inline void warn(const std::string& warning) {
  if (!warning.empty()) std::fprintf(stderr, "caucus: %s\n", warning.c_str());
}

/// Reads the file behind --token and warns if others can read it.
inline Result<std::string> read_token_and_warn(const std::string& path) {
  CAUCUS_TRY(ClientToken token, read_token(path, "--token"));
  warn(token.warning);
  return std::move(token.text);
}

/// Reads the files behind --cert, --key and --ca and warns if others can read the key.
inline Result<TlsTexts> read_tls_and_warn(const TlsFiles& files) {
  CAUCUS_TRY(TlsTexts texts, read_tls(files, {"--cert", "--key", "--ca"}));
  warn(texts.warning);
  return texts;
}

}  // namespace caucus::cli
