#include "caucus/engine/any_server.hpp"

#include <memory>

namespace caucus {
namespace {

std::variant<Server<FomdOms>, Server<FirstOrderOms>, Server<StatisticsOms>> make(
    const AnySettings& settings) {
  if (const auto* adaptive = std::get_if<std::shared_ptr<const FirstOrderSettings>>(&settings)) {
    return Server(FirstOrderOms(*adaptive));
  }
  if (const auto* sums = std::get_if<std::shared_ptr<const StatisticsSettings>>(&settings)) {
    return Server(StatisticsOms(*sums));
  }
  return Server(FomdOms(std::get<std::shared_ptr<const OmsSettings>>(settings)));
}

}  // namespace

AnyServer::AnyServer(const AnySettings& settings) : server_(make(settings)) {}

const Assignment& AnyServer::assign(const Batch& batch, std::uint32_t client) {
  std::visit([&](auto& server) { server.assign(batch, client, assignment_); }, server_);
  return assignment_;
}

void AnyServer::accept(ReportBatch& reports) {
  std::visit([&](auto& server) { server.accept(reports); }, server_);
}

void AnyServer::close(const Batch& batch) {
  std::visit([&](auto& server) { server.close(batch); }, server_);
}

void AnyServer::save(StateWriter& to) const {
  std::visit([&](const auto& server) { server.save(to); }, server_);
}

Status AnyServer::restore(StateReader& from) {
  return std::visit([&](auto& server) { return server.restore(from); }, server_);
}

}  // namespace caucus
