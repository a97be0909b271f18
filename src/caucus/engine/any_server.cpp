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

}  // namespace caucus
