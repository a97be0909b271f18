#include <cstdio>

#include "caucus/core/base/random.hpp"
#include "caucus/loss.hpp"

int main() {
  const auto bits = caucus::philox({}, {});  // the known answer of the generator's authors
  const auto loss = caucus::parse_loss("huber:0.5");
  if (!loss.ok()) return 1;
  std::printf("philox %08x %08x %08x %08x\n", bits[0], bits[1], bits[2], bits[3]);
  std::printf("%s %g %g\n", loss->name().c_str(), loss->value(1.0, 0.0),
              loss->derivative(1.0, 0.0));
}
