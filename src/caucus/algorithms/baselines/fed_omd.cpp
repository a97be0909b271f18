#include "caucus/algorithms/baselines/fed_omd.hpp"

#include <cassert>
#include <utility>

#include "caucus/algorithms/baselines/bounded.hpp"

namespace caucus {

OneModel::OneModel(std::shared_ptr<const BaselineSettings> settings)
    : Baseline(std::move(settings)) {
  assert(models_.size() == 1);
}

void OneModel::end_example(LocalModels& memory, BaselineBatch& into) {
  ++into.examples;
  into.models.assign(1, {0, memory.models.front()});
  memory.clock.end_example();
}

void FedOmd::report(LocalModels& memory, const Forecast& forecast, double y,
                    BaselineBatch& into) const {
  step_within(plan().maps.space(0), memory.models.front(),
              rates().model_rate * plan().loss.derivative(forecast.output, y),
              forecast.features.front());
  end_example(memory, into);
}

}  // namespace caucus
