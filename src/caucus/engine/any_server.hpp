// The Server that a federation serves: FOMD-OMS with any of its schedules.
#pragma once

#include <cstddef>
#include <cstdint>
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
    return visit([&](const auto& server) { return question(server.algorithm()); });
  }
  template <class Act>
  auto visit(Act&& act) const {
    return std::visit(act, server_);
  }
  template <class Act>
  auto visit(Act&& act) {
    return std::visit(act, server_);
  }

 public:
  /// The settings must be valid and those of fomd-oms.
  explicit AnyServer(const AnySettings& settings);

  /// Returns the models of a client for its batch, valid until the next call.
  const Assignment& assign(const Batch& batch, std::uint32_t client) {
    visit([&](auto& server) { server.assign(batch, client, assignment_); });
    return assignment_;
  }
  void accept(ReportBatch& reports) {
    visit([&](auto& server) { server.accept(reports); });
  }
  void close(const Batch& batch) {
    visit([&](auto& server) { server.close(batch); });
  }
  void save(StateWriter& to) const {
    visit([&](const auto& server) { server.save(to); });
  }
  Status restore(StateReader& from) {
    return visit([&](auto& server) { return server.restore(from); });
  }

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
  [[nodiscard]] LearnedModel learned() const {
    return ask([](const auto& a) { return a.learned(); });
  }
  /// Returns the sums of a space over all reported examples as they are, or null (StatisticsOms).
  [[nodiscard]] const MapSums* complete_sums(std::size_t space) const {
    return ask([&](const auto& a) -> const MapSums* {
      if constexpr (requires { a.complete_sums(space); }) return a.complete_sums(space);
      return nullptr;
    });
  }
  /// Returns the bits of one client and batch by the paper's formula.
  [[nodiscard]] std::size_t upload_bits(const HeldSize& held) const {
    return ask([&](const auto& a) { return a.upload_bits(held); });
  }
  [[nodiscard]] std::size_t download_bits(const HeldSize& held) const {
    return ask([&](const auto& a) { return a.download_bits(held); });
  }

 private:
  std::variant<Server<FomdOms>, Server<FirstOrderOms>, Server<StatisticsOms>> server_;
  Assignment assignment_;
};

}  // namespace caucus
