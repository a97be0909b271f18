// FEDPOSGD (Patel et al., "Federated online and bandit convex optimization", ICML 2023), for one
// space and bandit feedback: in round t a client plays project(w) + delta_t u, u uniform on the
// unit sphere, sees nothing but the loss there, and moves
//   w <- w - eta_t (d / delta_t) l u,
// whose expectation is a gradient step on the loss smoothed over a ball of radius delta_t. Every
// batch the server averages. The rates are those of Flaxman, Kalai and McMahan (2005) without a
// horizon: delta_t = exploration * t^(-1/4), eta_t = model_rate * delta_t / (d sqrt(t)).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/fed_omd.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus {

/// Draws a direction uniformly from the unit sphere.
void draw_direction(Stream& stream, std::span<float> direction);

class FedPosgd : public OneModel {
 public:
  /// Its model is not projected; the point that is played is.
  struct ClientState : LocalModels {
    std::vector<float> direction;  ///< u
    std::vector<float> played;
  };

  using OneModel::OneModel;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BaselineBatch& into) const;

  /// Returns the projected mean, as it would be played without exploration.
  [[nodiscard]] LearnedModel learned() const;

 private:
  [[nodiscard]] double smoothing(std::size_t round) const;  ///< delta_t
  [[nodiscard]] double rate(std::size_t round) const;       ///< eta_t
};

}  // namespace caucus
