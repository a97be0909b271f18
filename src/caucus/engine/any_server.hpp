// The Server that a federation serves: FOMD-OMS with the paper's schedules or the adaptive one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/server.hpp"

namespace caucus {

class AnyServer {
  /// Returns question(algorithm).
  template <class Question>
  [[nodiscard]] auto ask(Question&& question) const {
    return std::visit([&](const auto& server) { return question(server.algorithm()); }, server_);
  }

 public:
  /// The settings must be valid and those of fomd-oms.
  explicit AnyServer(const AnySettings& settings);

  /// Returns the models of a client in the open batch, valid until the next call or its end.
  const Assignment& assign(std::uint64_t batch, std::uint32_t client);
  void accept(ReportBatch& reports);
  void close(std::uint64_t batch);
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Plan& plan() const {
    return *ask([](const auto& a) { return &a.plan(); });
  }
  /// Returns p over all spaces.
  [[nodiscard]] std::vector<double> probabilities() const {
    return ask([](const auto& a) { return a.selection(); });
  }
  [[nodiscard]] double probability(std::size_t space) const {
    return ask([&](const auto& a) { return a.probabilities()[space]; });
  }
  /// Returns w_i, valid until the batch is closed.
  [[nodiscard]] std::span<const float> weights(std::size_t space) const {
    return ask([&](const auto& a) { return a.weights(space); });
  }
  [[nodiscard]] LearnedModel learned() const {
    return ask([](const auto& a) { return a.learned(); });
  }
  /// Returns the bits of one client and batch by the paper's formula.
  [[nodiscard]] std::size_t upload_bits(const HeldSize& held) const {
    return ask([&](const auto& a) { return a.upload_bits(held); });
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return ask([&](const auto& a) { return a.download_bits(assignment); });
  }
  /// Return whether a space learns by second-order steps, and how many do.
  [[nodiscard]] bool is_second_order(std::size_t space) const;
  [[nodiscard]] std::size_t second_order() const;

 private:
  std::variant<Server<FomdOms>, Server<AdaptiveOms>, Server<StatisticsOms>> server_;
  UploadRule uploads_;  ///< by which the batches of the statistics schedule are counted
  Assignment assignment_;
};

}  // namespace caucus
