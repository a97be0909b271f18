// A configuration that is served, and the form in which a store keeps it: the federation can be
// rebuilt from the store alone, and a server with other settings is refused. The result and the
// model have the same form as those of a simulated run.
#pragma once

#include <string>
#include <vector>

#include "caucus/federation/federation.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"
#include "options/config.hpp"

namespace caucus::cli {

struct ServedConfiguration {
  RunConfig config;  ///< without the settings that only a simulation has
  ServerConfig server;
  ExperimentOptions options;
  FederationSettings federation;
};

/// Reads the ranges and refuses settings that cannot be served.
Result<ServedConfiguration> make_served_configuration(const RunConfig& config,
                                                      const ServerConfig& server);

/// Returns the given settings of a simulation that serving ignores.
std::vector<std::string> ignored_settings(const RunConfig& config);

/// Returns exactly the settings that decide the result: the same text for the same run.
std::string plan_text(const ServedConfiguration& run);

/// Reads the text back; `where` names the store.
Result<ServedConfiguration> parse_plan(const std::string& text, const std::string& where);

struct ServedResult {
  report::DataFacts data;
  ExperimentResult result;
  LabelConvention labels = LabelConvention::none;
  std::vector<std::string> class_names = {};  ///< if each class has an output
};

/// Summarises a run that has started; `name` stands for the data.
Result<ServedResult> served_result(const Federation& federation, const ServedConfiguration& run,
                                   std::string name, double seconds);

/// Returns the content of a model file with what was learned, now or after an earlier batch.
Result<report::StoredModel> served_model(const Federation& federation,
                                         const ServedConfiguration& run,
                                         const LearnedState& learned);

}  // namespace caucus::cli
