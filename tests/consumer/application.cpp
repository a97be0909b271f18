// An application that takes part in a federation; nobody listens where it asks.
#include <chrono>
#include <cstdio>
#include <vector>

#include "caucus/client.hpp"

int main() {
  caucus::ClientOptions options;
  options.server = "127.0.0.1:1";
  options.name = "c01";
  options.features = 3;
  options.patience = std::chrono::milliseconds(200);
  const auto client = caucus::Client::start(options);
  if (!client.ok()) return 1;
  const std::vector<float> x = {1.0F, 2.0F, 3.0F};
  if ((*client)->predict(x).ok()) return 1;
  const auto models = (*client)->wait_for_models(std::chrono::seconds(30));
  if (models.ok()) return 1;
  std::printf("%s, exit code %d\n", models.error().where.c_str(),
              static_cast<int>(models.error().kind));

  options.server = "192.0.2.1:7070";  // elsewhere, and no authority is known
  const auto insecure = caucus::Client::start(options);
  std::printf("%s\n", insecure.ok() ? "started" : insecure.error().what.c_str());
}
