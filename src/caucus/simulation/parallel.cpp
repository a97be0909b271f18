#include "caucus/simulation/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace caucus {

void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& task) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
  std::vector<std::jthread> helpers;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) helpers.emplace_back(work);
  work();
}

}  // namespace caucus
