// The server's side of a run, for simulated clients in this process as well as for a federation
// over a network.
//
//   assign (for every client) -> the clients play -> accept (what they report) -> close
//
// Clients that do not wait for each other report at different times: then the caller keeps an
// aggregate of its own for each moment at which reports arrive.
//
// It reads no clock, does no I/O, and is driven by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "caucus/algorithms/algorithm.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/engine/report_clip.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Algorithms that learn from gradients leave it to the server to clip reports.
template <class A>
Robust clipping_of(const A& algorithm) {
  if constexpr (requires { algorithm.robust(); }) return algorithm.robust();
  return Robust::none;
}

template <Algorithm A>
class Server {
 public:
  explicit Server(A algorithm)
      : algorithm_(std::move(algorithm)), aggregate_(algorithm_.new_aggregate()) {
    const Robust kind = clipping_of(algorithm_);
    if (kind != Robust::none) clip_.emplace(kind);
  }

  /// Returns the models of a client for the open batch, which last until the batch is closed.
  void assign(const Batch& batch, std::uint32_t client, typename A::Assignment& into) {
    algorithm_.assign(batch, client, into);
  }
  /// Assigns models to several clients in order, into memory of the caller, so that several
  /// threads may call it. Only some algorithms offer it (tiled_clients.hpp).
  template <class Sampler, class Places>
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients, Sampler& sampler,
              const Places& into) const {
    algorithm_.assign(batch, first_client, clients, sampler, into);
  }
  /// Accepts reports of the open batch, in client order. It may take their memory and leaves the
  /// batch empty.
  void accept(ReportBatch& reports) { accept(reports, aggregate_); }
  void accept(ReportBatch& reports, typename A::Aggregate& into) {
    if (clip_) clip_->clip(reports);
    algorithm_.aggregate(reports, into);
    reports.clear();
  }
  /// Learns from what was accepted.
  void close(const Batch& batch) { close(batch, aggregate_); }
  void close(const Batch& batch, typename A::Aggregate& accepted) {
    if (clip_) clip_->close();
    algorithm_.step(batch, accepted);
    accepted.clear();
  }
  [[nodiscard]] typename A::Aggregate new_aggregate() const { return algorithm_.new_aggregate(); }

  /// Writes everything that later batches depend on, between two batches. restore() is for a new
  /// server with the same settings, which must be discarded after an error.
  void save(StateWriter& to) const {
    algorithm_.save(to);
    if (clip_) clip_->save(to);
  }
  Status restore(StateReader& from) {
    CAUCUS_CHECK(algorithm_.restore(from));
    return clip_ ? clip_->restore(from) : Status(Done{});
  }

  [[nodiscard]] const A& algorithm() const { return algorithm_; }

 private:
  A algorithm_;
  typename A::Aggregate aggregate_;
  std::optional<ReportClip> clip_;
};

}  // namespace caucus
