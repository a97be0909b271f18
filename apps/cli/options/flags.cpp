#include "options/flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "caucus/algorithms/any_algorithm.hpp"

namespace caucus::cli {
namespace {

template <class Target, class Record>
void add_flags(CLI::App& command, const std::vector<Setting<Target>>& settings,
               const std::string& group, Record record) {
  for (const auto& setting : settings) {
    const auto given = [&setting, record](const std::string& value) {
      if (value.starts_with("--")) {  // the next flag, where a value is missing
        throw CLI::ValidationError(setting.flag, "needs a value (" + setting.value_name + ")");
      }
      record(setting, value);
    };
    CLI::Option* option =
        setting.value_name.empty()
            ? command.add_flag_function(
                  setting.flag,
                  [given](std::int64_t count) { given(count > 0 ? "true" : "false"); },
                  setting.help)
            : command.add_option_function<std::string>(setting.flag, given, setting.help)
                  ->type_name(setting.value_name);
    option->trigger_on_parse()->group(group.empty() ? setting.table : group);
  }
}

bool names(const std::vector<GivenFlag>& given, const char* flag) {
  return std::any_of(given.begin(), given.end(),
                     [&](const GivenFlag& g) { return g.run != nullptr && g.run->flag == flag; });
}

/// Drops the rates, which belong to one schedule only.
void drop_rates(RunConfig& config) {
  config.horizon.reset();
  config.gradient_scale.reset();
  config.eta.reset();
  config.lambda.reset();
}

void drop_bounds(RunConfig& config) {
  config.feature_bound.reset();
  config.label_bound.reset();
  config.loss_bound.reset();
}

bool names_only_baselines(const std::vector<GivenFlag>& given) {
  return std::all_of(given.begin(), given.end(), [](const GivenFlag& g) {
    return g.run == nullptr || g.run->flag != "--algorithm" || is_baseline(g.value);
  });
}

/// Drops what the file says where a flag decides otherwise and the two exclude each other.
void make_room(const std::vector<GivenFlag>& given, RunConfig& config) {
  if (names(given, "--data")) config.clients_from.clear();
  if (names(given, "--clients-from")) {
    config.file.clear();
    config.partition.reset();
  }
  for (const GivenFlag& g : given) {
    RunConfig changed = config;
    if (g.run == nullptr || g.run->flag != "--schedule") continue;
    if (g.run->set(changed, g.value).ok() && changed.schedule != config.schedule) {
      drop_rates(config);
      if (is_adaptive(changed.schedule)) drop_bounds(config);
    }
  }
  if (names(given, "--algorithm")) {
    config.algorithms.clear();
    if (names_only_baselines(given)) {
      config.schedule = ScheduleKind::adaptive;
      config.fixed_share = 0.0;
      drop_rates(config);
      drop_bounds(config);
    }
  }
}

Status with_flag(Status status, const std::string& flag) {
  if (!status.ok()) status.error().where = flag;
  return status;
}

/// An option before any --spaces: for every space of the file (or by default) that has it.
Status apply_to_all(const Setting<SpaceGroup>& setting, const std::string& value,
                    RunConfig& config) {
  if (config.spaces.empty()) config.spaces = default_spaces();
  bool taken = false;
  for (SpaceGroup& group : config.spaces) {
    SpaceGroup changed = group;
    CAUCUS_CHECK(with_flag(setting.set(changed, value), setting.flag));
    if (!expand({changed}).ok()) continue;
    group = changed;
    taken = true;
  }
  if (taken) return Done{};
  return usage_error(setting.flag, "no space of this run has it",
                     "expected it after the --spaces it belongs to");
}

/// A setting has one value; only --algorithm and --spaces name several things.
Status refuse_repetition(const std::vector<GivenFlag>& given) {
  std::set<std::string> seen;
  for (const GivenFlag& g : given) {
    const std::string& flag = g.run != nullptr ? g.run->flag : g.space->flag;
    if (flag == "--spaces") {  // its options may come again for the next one
      for (const auto& setting : space_settings()) seen.erase(setting.flag);
    } else if (flag != "--algorithm" && !seen.insert(flag).second) {
      return usage_error(flag, "is given twice", "expected it once");
    }
  }
  return Done{};
}

}  // namespace

void add_setting_flags(CLI::App& command, std::vector<GivenFlag>& given) {
  add_flags(command, run_settings(), "",
            [&given](const Setting<RunConfig>& setting, const std::string& value) {
              given.push_back({&setting, nullptr, value});
            });
  add_flags(command, space_settings(), "spaces",
            [&given](const Setting<SpaceGroup>& setting, const std::string& value) {
              given.push_back({nullptr, &setting, value});
            });
}

Status apply_flags(const std::vector<GivenFlag>& given, RunConfig& config) {
  CAUCUS_CHECK(refuse_repetition(given));
  make_room(given, config);
  bool own_spaces = false;
  for (const GivenFlag& g : given) {
    if (g.run != nullptr && g.run->flag == "--algorithm") {
      config.algorithms.push_back(g.value);
    } else if (g.run != nullptr) {
      CAUCUS_CHECK(with_flag(g.run->set(config, g.value), g.run->flag));
    } else if (g.space->flag == "--spaces") {
      if (!own_spaces) config.spaces.clear();
      own_spaces = true;
      config.spaces.emplace_back();
      CAUCUS_CHECK(with_flag(g.space->set(config.spaces.back(), g.value), g.space->flag));
    } else if (own_spaces) {
      CAUCUS_CHECK(with_flag(g.space->set(config.spaces.back(), g.value), g.space->flag));
    } else {
      CAUCUS_CHECK(apply_to_all(*g.space, g.value, config));
    }
  }
  return Done{};
}

}  // namespace caucus::cli
