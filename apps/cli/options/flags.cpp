#include "options/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "caucus/algorithms/any_algorithm.hpp"

namespace caucus::cli {
namespace {

bool names(const std::vector<GivenFlag>& given, const char* flag) {
  return std::any_of(given.begin(), given.end(),
                     [&](const GivenFlag& g) { return g.flag == flag; });
}

template <class Target>
void add_flags(CLI::App& command, const std::vector<Setting<Target>>& settings,
               std::vector<GivenFlag>& given, const char* group) {
  for (const auto& setting : settings) {
    if (setting.flag.empty()) continue;
    const auto record = [&setting, &given](const std::string& value) {
      if (value.starts_with("--")) {  // the next flag, where a value is missing
        throw CLI::ValidationError(setting.flag, "needs a value (" + setting.value_name + ")");
      }
      given.push_back({setting.flag, value});
    };
    const bool on = !setting.flag.starts_with("--no-");  // --no-X switches X off
    CLI::Option* option =
        setting.value_name.empty()
            ? command.add_flag_function(
                  setting.flag,
                  [record, on](std::int64_t count) {
                    record((count > 0) == on ? "true" : "false");
                  },
                  setting.help)
            : command.add_option_function<std::string>(setting.flag, record, setting.help)
                  ->type_name(setting.value_name);
    option->trigger_on_parse()->group(group != nullptr ? group : setting.table);
  }
}

/// Returns the setting of a flag, or null.
template <class Target>
const Setting<Target>* find(const std::vector<Setting<Target>>& settings, const std::string& flag) {
  for (const auto& setting : settings) {
    if (setting.flag == flag) return &setting;
  }
  return nullptr;
}

/// Applies a flag to the setting it stands for.
template <class Target>
Status set(const std::vector<Setting<Target>>& settings, const GivenFlag& given, Target& target) {
  return give(*find(settings, given.flag), target, given.value, given.flag);
}

bool is_space_flag(const std::string& flag) { return find(space_settings(), flag) != nullptr; }

/// Drops the rates, which belong to one schedule only.
void drop_rates(RunConfig& config) {
  config.horizon.reset();
  for (auto* rate : {&config.gradient_scale, &config.eta, &config.lambda}) rate->reset();
}

void drop_bounds(RunConfig& config) {
  for (auto* bound : {&config.feature_bound, &config.label_bound, &config.loss_bound}) {
    bound->reset();
  }
}

/// Drops what belongs to the adaptive schedule only.
void drop_growth(RunConfig& config) {
  if (config.rounds_per_upload == 0U) config.rounds_per_upload.reset();
  config.growth.reset();
  config.min_batch.reset();
  config.personal.reset();
  config.mode.reset();
}

/// Drops the settings of the file that the flags exclude.
void drop_excluded(const std::vector<GivenFlag>& given, RunConfig& config) {
  if (names(given, "--data")) config.clients_from.clear();
  if (names(given, "--clients-from")) {
    config.file.clear();
    config.partition.reset();
  }
  bool only_baselines = true;
  for (const GivenFlag& g : given) {
    RunConfig changed = config;
    if (g.flag == "--algorithm" && !is_baseline(g.value)) only_baselines = false;
    if (g.flag != "--schedule" || !set(run_settings(), g, changed).ok()) continue;
    if (changed.schedule == config.schedule) continue;
    drop_rates(config);
    if (is_adaptive(changed.schedule)) drop_bounds(config);
    if (changed.schedule != ScheduleKind::adaptive) drop_growth(config);
  }
  if (names(given, "--algorithm")) {
    config.algorithms.clear();
    if (only_baselines) {
      config.schedule = ScheduleKind::adaptive;
      config.fixed_share = 0.0;
      drop_rates(config);
      drop_bounds(config);
    }
  }
}

/// Applies an option that stands before any --spaces to every space that has it, of the file or of
/// the defaults.
Status apply_to_all(const GivenFlag& given, RunConfig& config) {
  if (config.spaces.empty()) config.spaces = default_spaces();
  bool taken = false;
  for (SpaceGroup& group : config.spaces) {
    SpaceGroup changed = group;
    CAUCUS_CHECK(set(space_settings(), given, changed));
    if (!expand({changed}).ok()) continue;
    group = changed;
    taken = true;
  }
  if (taken) return Done{};
  return usage_error(given.flag, "no space of this run has it",
                     "expected it after the --spaces it belongs to");
}

/// Refuses a flag that is given twice, except --algorithm and --spaces.
Status refuse_repetition(const std::vector<GivenFlag>& given) {
  std::set<std::string> seen;
  for (const auto& [flag, value] : given) {
    if (flag == "--spaces") {  // the next space may have the same options
      std::erase_if(seen, is_space_flag);
    } else if (flag != "--algorithm" && !seen.insert(flag).second) {
      return usage_error(flag, "is given twice", "expected it once");
    }
  }
  return Done{};
}

}  // namespace

void add_run_flags(CLI::App& command, std::vector<GivenFlag>& given) {
  add_flags(command, run_settings(), given, nullptr);
  add_flags(command, space_settings(), given, "spaces");
}

void add_server_flags(CLI::App& command, std::vector<GivenFlag>& given) {
  add_flags(command, server_settings(), given, "Options");
}

Status apply_flags(const std::vector<GivenFlag>& given, RunConfig& config) {
  CAUCUS_CHECK(refuse_repetition(given));
  drop_excluded(given, config);
  bool own_spaces = false;
  for (const GivenFlag& g : given) {
    if (g.flag == "--algorithm") {
      config.algorithms.push_back(g.value);
      config.places["algorithms"] = g.flag;
    } else if (!is_space_flag(g.flag)) {
      CAUCUS_CHECK(set(run_settings(), g, config));
    } else if (own_spaces || g.flag == "--spaces") {
      if (!own_spaces) config.spaces.clear();
      config.places["spaces"] = "--spaces";
      own_spaces = true;
      if (g.flag == "--spaces") config.spaces.emplace_back();
      CAUCUS_CHECK(set(space_settings(), g, config.spaces.back()));
    } else {
      CAUCUS_CHECK(apply_to_all(g, config));
    }
  }
  return Done{};
}

Status apply_flags(const std::vector<GivenFlag>& given, ServerConfig& config) {
  CAUCUS_CHECK(refuse_repetition(given));
  for (const GivenFlag& g : given) CAUCUS_CHECK(set(server_settings(), g, config));
  return Done{};
}

}  // namespace caucus::cli
