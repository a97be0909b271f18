// Options that hold numbers: parsed as strictly as the settings of a run (CLI11 itself would take
// -1 for a very large count).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "options/values.hpp"

namespace caucus::cli {

/// A whole number from `least` to `most`.
template <class Count>
CLI::Option* add_count(CLI::App& command, const std::string& flag, Count& value,
                       std::uint64_t least, std::uint64_t most, const std::string& help) {
  return command.add_option_function<std::string>(
      flag,
      [flag, &value, least, most](const std::string& text) {
        const auto count = parse_count(text);
        if (!count.ok() || *count < least || *count > most) {
          throw CLI::ValidationError(flag, "'" + text + "' is not a whole number from " +
                                               std::to_string(least) + " to " +
                                               std::to_string(most));
        }
        value = static_cast<Count>(*count);
      },
      help);
}

}  // namespace caucus::cli
