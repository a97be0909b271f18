#include "caucus/engine/any_server.hpp"

#include <memory>

namespace caucus {
namespace {

std::variant<Server<FomdOms>, Server<AdaptiveOms>, Server<StatisticsOms>> make(
    const AnySettings& settings) {
  if (const auto* adaptive = std::get_if<std::shared_ptr<const AdaptiveSettings>>(&settings)) {
    return Server(AdaptiveOms(*adaptive));
  }
  if (const auto* sums = std::get_if<std::shared_ptr<const StatisticsSettings>>(&settings)) {
    return Server(StatisticsOms(*sums));
  }
  return Server(FomdOms(std::get<std::shared_ptr<const OmsSettings>>(settings)));
}

/// A batch of a federation. Rounds are counted by the clients, except where batches grow.
Batch numbered(std::uint64_t batch, const UploadRule& uploads) {
  const std::size_t first = uploads.rounds_before(batch);
  return {static_cast<std::uint32_t>(batch), first, first + uploads.length_after(first)};
}

}  // namespace

AnyServer::AnyServer(const AnySettings& settings) : server_(make(settings)) {
  if (const auto* sums = std::get_if<std::shared_ptr<const StatisticsSettings>>(&settings)) {
    uploads_ = (*sums)->uploads;
  }
}

const Assignment& AnyServer::assign(std::uint64_t batch, std::uint32_t client) {
  std::visit([&](auto& server) { server.assign(numbered(batch, uploads_), client, assignment_); },
             server_);
  return assignment_;
}

void AnyServer::accept(ReportBatch& reports) {
  std::visit([&](auto& server) { server.accept(reports); }, server_);
}

void AnyServer::close(std::uint64_t batch) {
  std::visit([&](auto& server) { server.close(numbered(batch, uploads_)); }, server_);
}

void AnyServer::save(StateWriter& to) const {
  std::visit([&](const auto& server) { server.save(to); }, server_);
}

Status AnyServer::restore(StateReader& from) {
  return std::visit([&](auto& server) { return server.restore(from); }, server_);
}

bool AnyServer::is_second_order(std::size_t space) const {
  const auto* adaptive = std::get_if<Server<AdaptiveOms>>(&server_);
  return adaptive != nullptr && adaptive->algorithm().is_second_order(space);
}

std::size_t AnyServer::second_order() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < plan().maps.size(); ++i) count += is_second_order(i) ? 1U : 0U;
  return count;
}

}  // namespace caucus
