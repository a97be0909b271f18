// Pre-trained models that are asked for a forecast when a client holds them. Until then their place
// in an example is NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/experts.hpp"
#include "caucus/loss.hpp"
#include "caucus/space.hpp"

namespace caucus {

inline constexpr float kNotAsked = std::numeric_limits<float>::quiet_NaN();

class AskedExperts {
 public:
  /// The experts among these spaces, for examples of so many features.
  AskedExperts(ExpertCallback ask, std::vector<Space> spaces, Loss loss, std::size_t features)
      : ask_(std::move(ask)), spaces_(std::move(spaces)), loss_(loss), features_(features) {}

  /// Asks those of the spaces that are experts and whose forecast x does not have yet, and writes
  /// the forecasts into x. An answer that cannot be a forecast is an error.
  Status ask(std::span<const std::uint32_t> spaces, std::uint64_t example,
             std::span<float> x) const;
  /// Returns the number of forecasts in an example.
  [[nodiscard]] std::size_t experts() const;
  [[nodiscard]] std::size_t spaces() const { return spaces_.size(); }

 private:
  ExpertCallback ask_;
  std::vector<Space> spaces_;
  Loss loss_;
  std::size_t features_;
};

std::vector<std::uint32_t> spaces_of(const Assignment& assignment);

/// The forecasts for the rows of a data set, which simulated clients share: each is asked for when
/// a client first needs it. Several threads may use it.
class AskedRows {
 public:
  /// Gives the data set places for the forecasts.
  AskedRows(Dataset& data, AskedExperts experts);

  /// Asks what is missing for a row. After an error all missing forecasts are 0.
  void ask(std::span<const std::uint32_t> spaces, std::size_t row);
  void ask_all(std::size_t row);
  /// Returns the first error.
  [[nodiscard]] Status status() const;

 private:
  Dataset* data_;
  AskedExperts experts_;
  std::vector<std::uint32_t> all_;  ///< the numbers of all spaces
  mutable std::mutex mutex_;        // guards the forecasts and the member below
  std::optional<Error> error_;
};

}  // namespace caucus
