// Whatever a saved state holds, reading it ends with an error, or with a server whose state is
// these bytes and who can play on. The first byte says which server is to have it.
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "caucus/algorithms/test_play.hpp"

namespace caucus::conformance {
namespace {

Problem small_problem(double fixed_share) {
  Problem problem;
  problem.inputs = 2;
  problem.clients = 3;
  problem.spaces = {Space{.radius = 0.5}, Space{.kind = SpaceKind::gaussian, .features = 1},
                    Space{.kind = SpaceKind::linear, .constraint = Constraint::box}};
  problem.fixed_share = fixed_share;
  return problem;
}

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Server>
void try_state(const Problem& problem, Server server, std::string_view bytes) {
  StateReader reader(bytes, "fuzz");
  const Status status = server.restore(reader);
  if (!status.ok() || !reader.done().ok()) return;
  StateWriter writer;
  server.save(writer);
  require(writer.bytes() == bytes);
  Clients<Server> clients(problem);
  for (std::uint32_t r = 1; r <= 2; ++r) {
    play(server, problem, {r, r - 1, r}, in_order(problem.clients), clients);
  }
  for (const double forecast : clients.forecasts) require(std::isfinite(forecast));
  for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
    require(server.probabilities()[i] >= 0.0);
    require(all_finite(server.weights(i)));
  }
}

}  // namespace
}  // namespace caucus::conformance

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus;
  using namespace caucus::conformance;
  static const std::array problems = {small_problem(0.0), small_problem(0.01)};
  static const std::array first_order = {problems[0].first_order_settings(),
                                         problems[1].first_order_settings()};
  static const auto adaptive = problems[1].statistics_settings();
  static const auto paper = problems[1].settings();
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t which = data[0] % 4;
  if (which < 2) {
    try_state(problems[which], FirstOrderOms(first_order[which]), bytes);
  } else if (which == 2) {
    try_state(problems[1], StatisticsOms(adaptive), bytes);
  } else {
    try_state(problems[1], FomdOms(paper), bytes);
  }
  return 0;
}
