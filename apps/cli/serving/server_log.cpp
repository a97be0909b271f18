#include "serving/server_log.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <utility>
#include <vector>

#include "options/settings.hpp"

namespace caucus::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFlushTimeout(500);  // to write the waiting lines at the end
constexpr int kPollMilliseconds = 100;
constexpr std::size_t kLongest = 400;  // bytes of a value, so that a long name cannot fill the disk

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warning", "error"};

/// Formats the time by RFC 3339 with milliseconds, in UTC.
std::string time_text(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(time);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(whole));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const auto rest = (whole.time_since_epoch() % std::chrono::seconds(1)).count();
  const std::string digits = std::to_string(1000 + rest).substr(1);
  return std::string(text.data(), size) + "." + digits + "Z";
}

std::string shortened(std::string_view value) {
  if (value.size() <= kLongest) return std::string(value);
  return std::string(value.substr(0, kLongest)) + "...";
}

/// Returns plain words unchanged, and all else in quotes and in ASCII.
std::string quoted_where_needed(const std::string& value) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:+@%,";
  if (!value.empty() && value.find_first_not_of(kPlain) == std::string::npos) return value;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xFU]};
    }
  }
  return text + "\"";
}

}  // namespace

std::string log_line(LogForm form, std::chrono::system_clock::time_point time, LogLevel level,
                     std::string_view event, std::span<const LogField> fields) {
  const std::string_view word = kLevels.at(static_cast<std::size_t>(level));
  if (form == LogForm::json) {
    Json json = {{"time", time_text(time)}, {"level", word}, {"event", event}};
    for (const LogField& field : fields) json[std::string(field.key)] = shortened(field.value);
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  }
  std::string line = "time=" + time_text(time) + " level=" + std::string(word) +
                     " event=" + quoted_where_needed(std::string(event));
  for (const LogField& field : fields) {
    line += " " + std::string(field.key) + "=" + quoted_where_needed(shortened(field.value));
  }
  return line + "\n";
}

LogWriter::LogWriter(int descriptor, LogForm form) : descriptor_(descriptor), form_(form) {
  // Signals are for the threads that wait for them, so they are blocked in the new thread.
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::jthread([this](const std::stop_token& closing) { run(closing); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Log LogWriter::log() {
  return [this](LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    if (level == LogLevel::debug) return;
    write(log_line(form_, std::chrono::system_clock::now(), level, event,
                   {fields.begin(), fields.size()}));
  };
}

void LogWriter::write(std::string line) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= kMostLines) {
    ++dropped_;
    return;
  }
  if (lines_.empty()) changed_.notify_one();
  lines_.push_back(std::move(line));
}

void LogWriter::run(const std::stop_token& closing) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, closing, [&] { return !lines_.empty(); })) {
    std::string text = std::move(lines_.front());
    lines_.pop_front();
    if (dropped_ > 0 && lines_.empty()) {  // all waiting lines are written
      const std::vector<LogField> count = {{"lines", std::to_string(std::exchange(dropped_, 0))}};
      text +=
          log_line(form_, std::chrono::system_clock::now(), LogLevel::warning, "dropped", count);
    }
    lock.unlock();
    const bool written = put(text, closing);
    lock.lock();
    if (!written) return;
  }
}

bool LogWriter::put(std::string_view text, const std::stop_token& closing) {
  while (!text.empty()) {
    if (closing.stop_requested() && !give_up_) give_up_ = Clock::now() + kFlushTimeout;
    pollfd one{descriptor_, POLLOUT, 0};
    // A pipe that is ready has room for PIPE_BUF bytes, so the write does not block.
    const auto size =
        ::poll(&one, 1, kPollMilliseconds) == 0
            ? 0
            : ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (size < 0 && errno != EINTR && errno != EAGAIN) return true;  // the reader is gone
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
    if (size <= 0 && give_up_ && Clock::now() > *give_up_) return false;
  }
  return true;
}

}  // namespace caucus::cli
