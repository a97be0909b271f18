// The model file: a JSON file with the learned models and everything needed to predict with them.
// The frequencies of random features are not stored, since they follow from seed and repetition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/loss.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/model_score.hpp"
#include "caucus/result.hpp"
#include "caucus/space.hpp"

namespace caucus::report {

struct StoredModel {
  std::string algorithm;
  Loss loss;
  LabelConvention labels = LabelConvention::none;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  std::size_t sample_size = 1;             ///< J, which FeatureMaps::make needs
  std::vector<std::string> feature_names;  ///< empty if the data had no header
  Scaling scaling;
  std::vector<Encoding> encodings;  ///< one per column of the data; none if it was not known
  std::size_t lags = 0;             ///< past rows among the features
  std::vector<Space> spaces;
  LearnedModel learned;
  std::string run = {};  ///< the served run that learned it; empty if it was simulated
  std::vector<ClientScore> scores = {};       ///< for whoever reads the file; not read again
  std::vector<std::string> class_names = {};  ///< if each class has an output
};

Json model_json(const StoredModel& model);

/// Checks every size and value; `name` is for messages.
Result<StoredModel> parse_model(const std::string& text, const std::string& name);
Result<StoredModel> read_model(const std::string& path);

}  // namespace caucus::report
