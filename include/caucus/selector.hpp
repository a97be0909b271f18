// caucus::Selector learns several candidate models from a stream of examples and finds out which of
// them is best, in one process and without a network:
//
//   auto selector = caucus::Selector::make({.features = 3});
//   auto prediction = selector->predict(x);  // before y is known
//   selector->observe(y);                    // learns from it
//   selector->probabilities();               // how likely each space is drawn
//
// It is a client of a federation and its server in one process: the predictions are those of
// `caucus run` with one client, the same rows and min_batch = 1, bit for bit. It draws J of the K
// models for each batch of rounds and computes only these (J is LearningOptions::sample_size, by
// default 2).
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

#include "caucus/experts.hpp"
#include "caucus/options.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct SelectorOptions {
  std::size_t features = 0;  ///< the number of features in x
  std::size_t experts = 0;   ///< the number of experts' predictions, which follow them in x
  /// If given, x has the features only, and the experts are asked when they are held.
  ExpertCallback ask = {};
  /// If `spaces` is empty, default_spaces() is used. The schedule must be `adaptive` or
  /// `adaptive_first_order`. Within one process nothing needs to be hidden, so `min_batch` is 1 if
  /// it is not given.
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

  /// Returns the prediction for x. A second call before observe() replaces the first.
  Result<double> predict(std::span<const float> x);
  /// Returns the probabilities of the classes for the last x, if the loss is classes:C. The
  /// prediction is then the likeliest class.
  [[nodiscard]] const std::vector<double>& class_probabilities() const;
  /// Learns from the true value for the last x and ends the round. The logistic and hinge losses
  /// need -1 or 1, classes:C a class from 0 to C - 1.
  Status observe(double y);

  /// Returns one probability per space; they sum to 1.
  [[nodiscard]] std::vector<double> probabilities() const;
  /// Returns the names of the spaces in the same order, such as "gaussian width=2".
  [[nodiscard]] const std::vector<std::string>& spaces() const;
  [[nodiscard]] std::uint64_t rounds() const;  ///< the calls of observe() that succeeded

  /// Returns all that later rounds depend on. A Selector that is made with the same options and
  /// restored continues with the same bits. A prediction that was not observed is not saved.
  [[nodiscard]] std::string save() const;
  /// Continues from saved bytes. After an error the Selector is unchanged.
  Status restore(std::string_view bytes);

 private:
  struct Parts;
  explicit Selector(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
