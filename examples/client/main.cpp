#include <caucus/client.hpp>
#include <cmath>
#include <cstdio>
#include <thread>

int main(int argc, char** argv) {
  if (argc != 3) return std::puts("usage: client HOST:PORT NAME"), 2;
  const auto client = caucus::Client::start({.server = argv[1], .name = argv[2], .features = 1});
  if (!client.ok()) return std::puts(client.error().line().c_str()), 1;
  for (int t = 0; t < 500; ++t) {
    const float x[] = {static_cast<float>(t * 37 % 101) / 101.0F};
    const auto prediction = (*client)->predict(x, std::chrono::seconds(60));
    if (!prediction.ok()) return std::puts(prediction.error().line().c_str()), 1;
    (*client)->observe(prediction->id, std::sin(3.0 * x[0]));   // may also come later
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until the next reading
  }
  (*client)->finish();
  return (*client)->wait_until_finished(std::chrono::minutes(1)).ok() ? 0 : 1;
}
