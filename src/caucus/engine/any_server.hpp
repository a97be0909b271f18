// A Server of FOMD-OMS, with the paper's schedules or the adaptive one: what a federation serves.
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
 public:
  /// The settings must be valid and those of fomd-oms.
  explicit AnyServer(const AnySettings& settings);

  /// The models of a client in the open batch; they last until the next call or until it closes.
  const Assignment& assign(std::uint64_t batch, std::uint32_t client);
  void accept(ReportBatch& reports);
  void close(std::uint64_t batch);
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Plan& plan() const;
  /// p over all spaces.
  [[nodiscard]] std::vector<double> probabilities() const;
  [[nodiscard]] double probability(std::size_t space) const;
  [[nodiscard]] LearnedModel learned() const;
  /// By the formula, for one client and batch.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;
  /// Whether a space learns by second-order steps, and how many do.
  [[nodiscard]] bool is_second_order(std::size_t space) const;
  [[nodiscard]] std::size_t second_order() const;

 private:
  std::variant<Server<FomdOms>, Server<AdaptiveOms>> server_;
  Assignment assignment_;
};

}  // namespace caucus
