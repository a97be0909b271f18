// Whatever a model file holds, reading it ends with a model that can predict or with an error.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "caucus/report/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto model = report::parse_model(text, "fuzz.json");
  if (!model.ok()) return 0;
  const InputShape shape{model->scaling.feature_columns.size(),
                         model->scaling.expert_columns.size()};
  const auto maps =
      FeatureMaps::make(model->spaces, shape, model->seed, model->repetition, model->sample_size);
  if (!maps.ok()) return 0;
  Predictor predict(*maps, model->loss, model->learned);
  const std::vector<float> x(shape.features + shape.experts, 0.5F);
  if (!std::isfinite(predict(x))) std::abort();
  return 0;
}
