#include "options/progress_line.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "caucus/report/text_table.hpp"

namespace caucus::cli {

ProgressLine::ProgressLine(const Progress& progress, std::string at_end)
    : progress_(progress), at_end_(std::move(at_end)) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { draw_until_done(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ProgressLine::draw_until_done() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(150), [this] { return done_; })) {
    const auto total = static_cast<double>(progress_.total.load());
    const auto finished = static_cast<double>(progress_.done.load());
    if (total <= 0.0) continue;
    const double share = finished / total;
    const std::chrono::duration<double> spent = Clock::now() - start;
    std::string left;
    if (share > 0.01 && share < 1.0) {
      left = "  " + report::rounded(spent.count() * (1.0 - share) / share, 2) + " s left";
    }
    if (share >= 1.0) left = "  " + at_end_;
    std::fprintf(stderr, "\r\033[K%3.0f%% %s%s", 100.0 * share, report::bar(share, 30).c_str(),
                 left.c_str());
    std::fflush(stderr);
  }
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

}  // namespace caucus::cli
