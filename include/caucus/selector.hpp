// caucus::Selector learns several candidate models from a stream of examples and finds out which of
// them is best, in one process and without a network:
//
//   auto selector = caucus::Selector::make({.features = 3});
//   auto forecast = selector->predict(x);   // before y is known
//   selector->observe(y);                   // learns from it
//   selector->probabilities();              // how likely each space is drawn
//
// It is a federation of one client: the forecasts are those of `caucus run` with one client and the
// same rows, bit for bit. In each round only J of the K spaces are computed (J is
// LearningOptions::sample, 2 unless set).
//
// A Selector must not be used by several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/options.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct SelectorOptions {
  std::size_t features = 0;  ///< numbers of x without the experts' forecasts
  std::size_t experts = 0;   ///< forecasts of frozen experts that follow them in x
  /// No spaces stand for default_spaces(). The schedule must be adaptive, since the number of
  /// rounds is not known, and rounds_per_upload 1.
  LearningOptions learning = {};

  [[nodiscard]] Status validate() const;
};

class Selector {
 public:
  static Result<Selector> make(SelectorOptions options);
  Selector(Selector&& other) noexcept;
  Selector& operator=(Selector&& other) noexcept;
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;
  ~Selector();

  /// The forecast for x. If it comes again before observe(), the earlier x is forgotten.
  Result<double> predict(std::span<const float> x);
  /// The true value for the last x; logistic and hinge loss want -1 or 1. Ends the round.
  Status observe(double y);

  /// One probability per space; they sum to 1.
  [[nodiscard]] std::vector<double> probabilities() const;
  /// The names of the spaces, in the same order: "linear", "gaussian width=2", ...
  [[nodiscard]] const std::vector<std::string>& spaces() const;
  [[nodiscard]] std::uint64_t rounds() const;  ///< that were observed

  /// Everything that later rounds depend on. A Selector that is made with the same options and
  /// restored continues with the same bits. A forecast that was not observed is not saved.
  [[nodiscard]] std::string save() const;
  /// After an error the Selector is as it was.
  Status restore(std::string_view bytes);

 private:
  class Parts;
  explicit Selector(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
