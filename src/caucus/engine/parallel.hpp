// Independent tasks on several threads. Which thread does which task changes nothing: a task writes
// only to its own place.
#pragma once

#include <cstddef>
#include <functional>

namespace caucus {

/// Returns the number of threads to use; 0 means one for each core.
std::size_t thread_count(std::size_t threads);

/// Calls task(0) .. task(count - 1), on at most thread_count(threads) threads.
/// If a task throws, the exception reaches the caller once all threads have ended.
void parallel_for(std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t)>& task);

}  // namespace caucus
