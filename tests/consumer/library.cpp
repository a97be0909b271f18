// The library without a network: a loss by its name, and the framework of the paper over a ball.
#include <cstdio>
#include <vector>

#include "caucus/ball.hpp"
#include "caucus/fomd_no_lu.hpp"
#include "caucus/loss.hpp"
#include "caucus/version.hpp"

int main() {
  const auto loss = caucus::parse_loss("huber:0.5");
  if (!loss.ok()) return 1;
  std::printf("%s %g %g\n", loss->name().c_str(), loss->value(1.0, 0.0),
              loss->derivative(1.0, 0.0));
  std::printf("%s\n", caucus::parse_loss("cubic").error().where.c_str());

  caucus::FomdNoLu<caucus::Ball> learner({.radius = 1.0}, std::vector<float>(2));
  learner.receive(std::vector<float>{-6.0F, 0.0F});
  learner.receive(std::vector<float>{0.0F, -8.0F});
  learner.step(1.0);  // (3, 4) scaled back into the ball
  std::printf("%.1f %.1f\n", double(learner.decision()[0]), double(learner.decision()[1]));
  std::printf("%d.%d.%d is %s\n", CAUCUS_VERSION_MAJOR, CAUCUS_VERSION_MINOR, CAUCUS_VERSION_PATCH,
              std::string(caucus::version()).c_str());
}
