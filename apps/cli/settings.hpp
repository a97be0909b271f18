// The one list of a run's settings: each has a place in the TOML file, a flag, a meaning, a way to
// be set from text and a way to be printed. Flags, files, --print-config, the configuration in the
// JSON and the suggestions for misspelt keys all come from it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "config.hpp"

namespace caucus::cli {

using Json = nlohmann::ordered_json;

/// As text, with `indent` spaces per level or, for -1, on one line. Bytes that are not UTF-8 (a
/// file name may hold any) are replaced.
std::string json_text(const Json& json, int indent = 1);

template <class Target>
struct Setting {
  std::string table;  ///< [table] of the TOML; "space" for [[space]]
  std::string key;
  std::string flag;        ///< "--rounds-per-upload"
  std::string value_name;  ///< "N"; empty for a switch
  std::string help;
  std::function<Status(Target&, const std::string&)> set;
  std::function<Json(const Target&)> get;  ///< null: not set, not printed
};

const std::vector<Setting<RunConfig>>& run_settings();
const std::vector<Setting<SpaceGroup>>& space_settings();

}  // namespace caucus::cli
