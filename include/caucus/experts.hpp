// Pre-trained models of an application, which a client asks for a forecast only while it holds
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "caucus/result.hpp"

namespace caucus {

/// Asks some pre-trained models for their forecasts of one example.
struct ExpertQuestion {
  std::span<const float> x;                ///< the features, as they were given to predict()
  std::uint64_t example = 0;               ///< the number that was given with them
  std::span<const std::uint32_t> experts;  ///< which are asked: their numbers (Space::expert)
};

/// Writes one forecast for each expert that is asked, in their order: a value of the target, or for
/// classes a probability (space.hpp). After an error the prediction fails with that error.
///
/// It is called in predict(). If a true value comes after its batch has ended, it is also called
/// for the same example when new models have arrived, from any thread and once at a time; it must
/// not call the object that asks.
using ExpertCallback = std::function<Status(const ExpertQuestion&, std::span<float> forecasts)>;

}  // namespace caucus
