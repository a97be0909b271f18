#include "options/progress_line.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <string>

#include "caucus/report/text_table.hpp"

namespace caucus::cli {

namespace {

void draw(const std::stop_token& done, const Progress& progress, const std::string& at_end) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto is_done = [&] { return done.stop_requested(); };
  while (!wake.wait_for(lock, done, std::chrono::milliseconds(150), is_done)) {
    const auto total = static_cast<double>(progress.total.load());
    if (total <= 0.0) continue;
    const double share = static_cast<double>(progress.done.load()) / total;
    const std::chrono::duration<double> spent = Clock::now() - start;
    std::string left;
    if (share > 0.01 && share < 1.0) {
      left = "  " + report::rounded(spent.count() * (1.0 - share) / share, 2) + " s left";
    }
    if (share >= 1.0) left = "  " + at_end;
    std::fprintf(stderr, "\r\033[K%3.0f%% %s%s", 100.0 * share, report::bar(share, 30).c_str(),
                 left.c_str());
    std::fflush(stderr);
  }
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace

std::jthread show_progress(const Progress& progress, const char* at_end) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return std::jthread(
      [&progress, at_end](const std::stop_token& done) { draw(done, progress, at_end); });
}

}  // namespace caucus::cli
