#include "caucus/engine/any_server.hpp"

#include <memory>

namespace caucus {
namespace {

using AnyOf = std::variant<Server<FomdOms>, Server<AdaptiveOms>>;

AnyOf make(const AnySettings& settings) {
  if (const auto* adaptive = std::get_if<std::shared_ptr<const AdaptiveSettings>>(&settings)) {
    return Server(AdaptiveOms(*adaptive));
  }
  return Server(FomdOms(std::get<std::shared_ptr<const OmsSettings>>(settings)));
}

/// A batch of a federation, where rounds are counted by the clients.
Batch numbered(std::uint64_t batch) {
  const auto number = static_cast<std::uint32_t>(batch);
  return {number, number - 1, number};
}

}  // namespace

AnyServer::AnyServer(const AnySettings& settings) : server_(make(settings)) {}

const Assignment& AnyServer::assign(std::uint64_t batch, std::uint32_t client) {
  std::visit([&](auto& server) { server.assign(numbered(batch), client, assignment_); }, server_);
  return assignment_;
}

void AnyServer::accept(ReportBatch& reports) {
  std::visit([&](auto& server) { server.accept(reports); }, server_);
}

void AnyServer::close(std::uint64_t batch) {
  std::visit([&](auto& server) { server.close(numbered(batch)); }, server_);
}

void AnyServer::save(StateWriter& to) const {
  std::visit([&](const auto& server) { server.save(to); }, server_);
}

Status AnyServer::restore(StateReader& from) {
  return std::visit([&](auto& server) { return server.restore(from); }, server_);
}

const Plan& AnyServer::plan() const {
  return std::visit([](const auto& server) -> const Plan& { return server.algorithm().plan(); },
                    server_);
}

std::vector<double> AnyServer::probabilities() const {
  return std::visit([](const auto& server) { return server.algorithm().selection(); }, server_);
}

double AnyServer::probability(std::size_t space) const {
  return std::visit([&](const auto& server) { return server.algorithm().probabilities()[space]; },
                    server_);
}

LearnedModel AnyServer::learned() const {
  return std::visit([](const auto& server) { return server.algorithm().learned(); }, server_);
}

std::size_t AnyServer::upload_bits(const Assignment& assignment) const {
  return std::visit([&](const auto& server) { return server.algorithm().upload_bits(assignment); },
                    server_);
}

std::size_t AnyServer::download_bits(const Assignment& assignment) const {
  return std::visit(
      [&](const auto& server) { return server.algorithm().download_bits(assignment); }, server_);
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
