// NCO-OMS (paper, Definition 1): M copies of the algorithm that never talk to each other, each a
// federation of one client. Nothing is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/fomd_oms.hpp"

namespace caucus {

class NcoOms {
 public:
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using Report = caucus::Report;
  using ClientState = NoMemory;
  static constexpr bool kCooperative = false;

  class Aggregate {  ///< one per client that reported
   public:
    void clear();

   private:
    friend class NcoOms;
    std::size_t used_ = 0;
    std::vector<std::uint32_t> clients_;
    std::vector<OmsAggregate> of_client_;
  };

  /// The schedule of the settings must be made for one client.
  NcoOms(std::shared_ptr<const OmsSettings> settings, std::size_t clients)
      : copies_(clients, FomdOms(std::move(settings))) {}

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) {
    copies_[client].assign(batch, client, into);
  }
  void predict(NoMemory& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    copies_.front().predict(memory, assignment, x, into);
  }
  void report(NoMemory& memory, const Forecast& forecast, double y, BatchMean& into) const {
    copies_.front().report(memory, forecast, y, into);
  }
  void aggregate(const Report& report, Aggregate& into) const;
  void step(const Batch& batch, const Aggregate& aggregate);

  [[nodiscard]] Forecast new_forecast() const { return copies_.front().new_forecast(); }
  [[nodiscard]] Aggregate new_aggregate() const { return {}; }
  [[nodiscard]] std::size_t upload_bits(const Assignment&) const { return 0; }
  [[nodiscard]] std::size_t download_bits(const Assignment&) const { return 0; }

  [[nodiscard]] std::size_t clients() const { return copies_.size(); }
  [[nodiscard]] const FomdOms& copy(std::size_t client) const { return copies_[client]; }

 private:
  std::vector<FomdOms> copies_;
};

}  // namespace caucus
