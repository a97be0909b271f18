// How good the models that are exported are for each client, as the clients themselves measured it:
// the error of the forecasts that they made with the models for their latest examples, before
// anything was learned from these, beside that of the best constant. The server has no examples, so
// it cannot score the models anew after the last report of a client.
#pragma once

#include <string>
#include <vector>

#include "caucus/engine/recent_forecasts.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus::report {

struct ClientScore {
  std::string client;
  ForecastScore score;     ///< of no examples if it is not known
  double forgotten = 0.0;  ///< share of the client's last report that no longer counts
  bool is_old = false;     ///< the others have sent so much since that the score says little
};

/// `forgetting` is the share of the sums that is forgotten per round.
std::vector<ClientScore> client_scores(const std::vector<ClientResult>& clients, double forgetting);

/// Returns what to tell whoever exports the models, a line for each client, the worst first. Lines
/// that begin with "warning: " name clients for which a constant is better, or which are forgotten.
std::vector<std::string> score_lines(const std::vector<ClientScore>& scores, const Loss& loss);

}  // namespace caucus::report
