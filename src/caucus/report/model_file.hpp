// The model file: what was learned, with all that is needed to use it on new data, as JSON.
// Frequencies of random features are not stored: they follow from seed and repetition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/columns.hpp"
#include "caucus/loss.hpp"
#include "caucus/report/json.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/labels.hpp"
#include "caucus/space.hpp"

namespace caucus::report {

struct StoredModel {
  std::string algorithm;
  Loss loss;
  LabelConvention labels = LabelConvention::none;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  std::size_t held = 1;  ///< models that a client held: FeatureMaps::make asks for it
  std::vector<std::string> feature_names;  ///< empty if the file named none
  Scaling scaling;
  std::vector<Space> spaces;
  LearnedModel learned;
};

Json model_json(const StoredModel& model);

/// Checks every size and value; `name` is for messages.
Result<StoredModel> parse_model(const std::string& text, const std::string& name);
Result<StoredModel> read_model(const std::string& path);

}  // namespace caucus::report
