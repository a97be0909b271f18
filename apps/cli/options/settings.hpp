// The one list of settings: each has a place in the TOML file, a flag, a meaning, a way to be set
// from text and a way to be printed. Flags, files, --print-config, the configuration in the JSON
// and the suggestions for misspelt keys all come from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "caucus/report/json.hpp"
#include "caucus/result.hpp"
#include "options/config.hpp"

namespace caucus::cli {

using report::Json;

template <class Target>
struct Setting {
  std::string table;       ///< [table] of the TOML; "space" for [[space]]
  std::string key;         ///< a dot separates the names of nested tables
  std::string flag;        ///< "--rounds-per-upload"; empty if there is none
  std::string field;       ///< "rounds_per_upload"; how errors of the library name it
  std::string value_name;  ///< "N"; empty for a switch
  std::string help;
  std::vector<std::string> values;  ///< words that it can be given, for completion
  std::function<Status(Target&, const std::string&)> set;
  std::function<Json(const Target&)> get;  ///< null: not set, not printed
};

const std::vector<Setting<RunConfig>>& run_settings();
const std::vector<Setting<SpaceGroup>>& space_settings();
const std::vector<Setting<ServerConfig>>& server_settings();

/// Returns the words that a flag of any setting can be given.
std::vector<std::string> values_of_flag(const std::string& flag);

/// Returns the words of a value name such as "N|growing": those in lower case, up to a letter that
/// stands for a value, as in "column:N".
std::vector<std::string> words_of_value_name(const std::string& value_name);

/// Sets a setting from text that stands at `place`, which errors name.
template <class Target>
Status give(const Setting<Target>& setting, Target& target, const std::string& text,
            const std::string& place) {
  Status status = setting.set(target, text);
  if (!status.ok()) {
    status.error().where = place;
  } else if constexpr (requires { target.places; }) {
    target.places[setting.field] = place;
  }
  return status;
}

/// Returns an error about a field of the library as one about the setting, where the user gave it.
Error located(Error error, const RunConfig& config, const ServerConfig* server = nullptr);

}  // namespace caucus::cli
