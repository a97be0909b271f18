#include "options/progress_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include "caucus/data/files/byte_source.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::cli {
namespace {

/// How far the work is, and what remains when all of it is done. Without a total, `done` is shown.
struct Amount {
  double done = 0.0, total = 0.0;
  std::string unit;  ///< of `done`
};

void draw(const std::stop_token& stop, const std::function<Amount()>& look,
          const std::string& at_end) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  const auto is_done = [&] { return stop.stop_requested(); };
  bool drawn = false;
  while (!wake.wait_for(lock, stop, std::chrono::milliseconds(150), is_done)) {
    const Amount amount = look();
    std::string line;
    if (amount.total > 0.0) {
      const double share = std::min(1.0, amount.done / amount.total);
      const std::chrono::duration<double> spent = Clock::now() - start;
      line = report::digits_of(100.0 * share, std::chars_format::fixed, 0) + "% " +
             report::bar(share, 30);
      if (share > 0.01 && share < 1.0) {
        line += "  " + report::rounded(spent.count() * (1.0 - share) / share, 2) + " s left";
      }
      if (share >= 1.0) line += "  " + at_end;
    } else if (amount.done > 0.0) {
      line = report::grouped(static_cast<std::size_t>(amount.done)) + " " + amount.unit;
    } else {
      continue;
    }
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    drawn = true;
  }
  if (!drawn) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

std::jthread show(std::function<Amount()> look, std::string at_end) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return std::jthread([look = std::move(look), at_end = std::move(at_end)](
                          const std::stop_token& stop) { draw(stop, look, at_end); });
}

}  // namespace

std::jthread show_progress(const Progress& progress, const char* at_end) {
  return show(
      [&progress] {
        return Amount{static_cast<double>(progress.done.load()),
                      static_cast<double>(progress.total.load()), "examples"};
      },
      at_end);
}

std::jthread show_reading(const std::vector<std::string>& files) {
  double total = 0.0;
  for (const std::string& file : files) {
    std::error_code code;
    const auto size = std::filesystem::file_size(file, code);
    if (code) {  // not a file: nobody knows how much will come
      total = 0.0;
      break;
    }
    total += static_cast<double>(size);
  }
  const std::uint64_t before = bytes_read();
  return show(
      [=] {
        return Amount{static_cast<double>(bytes_read() - before), total, "bytes read"};
      },
      "reading");
}

}  // namespace caucus::cli
