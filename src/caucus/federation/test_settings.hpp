// For tests and fuzzers: a small federation.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "caucus/federation/federation_settings.hpp"

namespace caucus {

/// Two linear spaces and two kernels, four features, as TestSource has them.
inline FederationSettings test_settings(std::size_t clients, ScheduleKind schedule,
                                        std::size_t rounds_per_upload = 1) {
  FederationSettings settings;
  const double radius = is_adaptive(schedule) ? std::numeric_limits<double>::infinity() : 2.0;
  settings.plan.spaces = {Space{.radius = 1.0}, Space{.radius = 2.0, .intercept = true}};
  for (const double width : {0.5, 2.0}) {
    settings.plan.spaces.push_back(
        Space{.kind = SpaceKind::gaussian, .radius = radius, .width = width, .features = 10});
  }
  settings.plan.seed = 5;
  settings.plan.rounds_per_upload = rounds_per_upload;
  settings.plan.features = 4;
  settings.plan.label_delay = 3;
  settings.problem.spaces = settings.plan.spaces;
  settings.problem.loss = settings.plan.loss;
  settings.problem.rounds_per_upload = rounds_per_upload;
  settings.problem.schedule.kind = schedule;
  settings.problem.constants.lambda = 0.2;
  settings.problem.seed = settings.plan.seed;
  settings.plan.statistics = schedule == ScheduleKind::adaptive;
  settings.problem.mode = Mode::synchronous;
  settings.problem.min_batch = 1;  // so that reports tell everything
  settings.problem.personal = false;
  settings.max_abs_target = 1.0;
  settings.max_feature_norm = 2.0;
  for (std::size_t j = 0; j < clients; ++j) settings.clients.push_back("c" + std::to_string(j + 1));
  return settings;
}

/// The adaptive schedule with batches that grow, which hide examples or do not.
inline FederationSettings growing_settings(std::size_t clients, bool hides_examples) {
  FederationSettings settings = test_settings(clients, ScheduleKind::adaptive, 0);
  for (Space& space : settings.plan.spaces) {
    space.intercept = true;
    space.radius = std::numeric_limits<double>::infinity();
  }
  settings.problem.spaces = settings.plan.spaces;
  settings.plan.hides_examples = hides_examples;
  settings.problem.min_batch = hides_examples ? 0 : 1;
  return settings;
}

}  // namespace caucus
