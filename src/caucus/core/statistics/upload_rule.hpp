// Decides when clients upload, and how much: after a fixed number of rounds, or in batches that
// grow with the rounds before them, so that T rounds need about log(T) / log(1 + growth) uploads.
//
// Sums over few examples reveal the examples, and so do many sums over many examples: if there are
// more sums than numbers in the examples, one can solve for the examples (docs/privacy.md). So a
// rule that hides examples lets a client send only the leading coordinates of a space. For n
// examples of d + 1 numbers each, m coordinates of every space are sent, where
//   m <= n / 2   and   (the numbers in all sums of the report) <= n (d + 1) / 2.
// If the target is a class, the sums have C targets, but the example still has one number for it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/loss.hpp"
#include "caucus/space.hpp"

namespace caucus {

struct UploadRule {
  std::size_t rounds = 1;        ///< N, the length of every batch; 0 if batches grow
  double growth = 0.3;           ///< length of a growing batch, as a share of the rounds before it
  std::size_t least = 1;         ///< the least length of a growing batch
  bool follows_changes = false;  ///< a change of the data may end a growing batch early
  bool hides_examples = false;
  std::size_t longest = kLongest;  ///< growing batches stop growing here
  // Used only if examples are hidden:
  std::size_t numbers = 0;  ///< d + 1, the numbers of an example with its target
  std::size_t shared = 0;   ///< leading coordinates whose sums are the same in all spaces
  std::size_t targets = 1;  ///< of the sums: one, or one for each class

  static constexpr std::size_t kExamplesPerCoordinate = 2;
  static constexpr std::size_t kExampleNumbersPerSum = 2;
  static constexpr std::size_t kLongest = 100'000;

  /// Returns the length of the batch that begins after this many rounds.
  [[nodiscard]] std::size_t length_after(std::size_t before) const {
    if (rounds > 0) return rounds;
    const double wanted = growth * static_cast<double>(before);
    const auto grown = static_cast<std::size_t>(std::min(wanted, static_cast<double>(longest)));
    return std::max({std::size_t{1}, least, grown});
  }
  /// Returns the length of the batch of a client that begins after this many rounds, if its data
  /// have changed after `changed` rounds (0 if never). After a change batches are short again and
  /// grow faster, up to the length that they would have had.
  [[nodiscard]] std::size_t length_after(std::size_t before, std::size_t changed) const;
  /// Returns how many coordinates of a space are sent for this many examples, in a report that has
  /// the sums of `spaces` spaces.
  [[nodiscard]] std::size_t coordinates(std::size_t dimension, std::size_t examples,
                                        std::size_t spaces) const;
  /// Returns how many different numbers there are in the sums of v v', v = (y, z), of this many
  /// spaces with this many coordinates each. The products of the targets of two classes are 0.
  [[nodiscard]] std::size_t different_sums(std::size_t coordinates, std::size_t spaces) const {
    const auto sums_of = [&](std::size_t m) { return triangle_size(m) + (m + 1) * targets; };
    const std::size_t of_one = sums_of(coordinates);
    const std::size_t repeated = sums_of(std::min(coordinates, shared));
    return shared == 0 ? spaces * of_one : repeated + spaces * (of_one - repeated);
  }
  /// Returns the end of a client's batch that begins after `first` of its `rounds` rounds and would
  /// end at `last`. Rounds at the end that are too few to be sent by themselves belong to the batch
  /// before them. For a batch of such rounds, which were already played, it returns `first`.
  [[nodiscard]] std::size_t end_of(std::size_t first, std::size_t last,
                                   std::size_t rounds_in_all) const {
    if (rounds_in_all <= first || (first > 0 && !sends(rounds_in_all - first))) return first;
    const std::size_t end = std::min(last, rounds_in_all);
    return sends(rounds_in_all - end) ? end : rounds_in_all;
  }
  /// Returns the rounds before a batch, which is counted from 1.
  [[nodiscard]] std::size_t rounds_before(std::uint64_t batch) const {
    if (rounds > 0) return rounds * static_cast<std::size_t>(batch - 1);
    std::size_t before = 0;
    for (std::uint64_t b = 1; b < batch; ++b) before += length_after(before);
    return before;
  }
  /// Returns after how many examples a change of the data may end a batch; 0 means never.
  [[nodiscard]] std::size_t least_after_change() const {
    return rounds == 0 && follows_changes ? std::max<std::size_t>(1, least) : 0;
  }
  /// Returns whether a batch of this many examples may be sent at all.
  [[nodiscard]] bool sends(std::size_t examples) const {
    return examples >= (hides_examples ? least : 1);
  }

  bool operator==(const UploadRule&) const = default;
};

/// Makes a rule hide examples of this many features. `held` is the number of models that a client
/// holds. The least length becomes that of the shortest batch for which all coordinates before the
/// random features of every space may be sent.
void hide_examples(UploadRule& rule, std::span<const Space> spaces, const Loss& loss,
                   std::size_t features, std::size_t held);

}  // namespace caucus
