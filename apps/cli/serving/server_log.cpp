#include "serving/server_log.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
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

constexpr std::chrono::milliseconds kLastMoment(500);
constexpr int kPollMilliseconds = 100;
constexpr std::size_t kLongest = 400;  // bytes of a value: nobody can fill the disk with one name

std::string_view word_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "info";
}

/// RFC 3339 with milliseconds, in UTC.
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

/// Plain words as they are, all else in quotes and in ASCII.
std::string quoted_where_needed(const std::string& value) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:+@%,").find(c) != std::string_view::npos;
  };
  if (!value.empty() && std::all_of(value.begin(), value.end(), plain)) return value;
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
  if (form == LogForm::json) {
    Json json = {{"time", time_text(time)}, {"level", word_of(level)}, {"event", event}};
    for (const LogField& field : fields) json[std::string(field.key)] = shortened(field.value);
    return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  }
  std::string line = "time=" + time_text(time) + " level=" + std::string(word_of(level)) +
                     " event=" + quoted_where_needed(std::string(event));
  for (const LogField& field : fields) {
    line += " " + std::string(field.key) + "=" + quoted_where_needed(shortened(field.value));
  }
  return line + "\n";
}

LogWriter::LogWriter(int descriptor, LogForm form) : descriptor_(descriptor), form_(form) {
  // Signals are for the threads that wait for them: the new thread inherits that they are blocked.
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    give_up_ = (Clock::now() + kLastMoment).time_since_epoch().count();
  }
  changed_.notify_all();
  thread_.join();
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
    ++lost_;
    return;
  }
  if (lines_.empty()) changed_.notify_all();
  lines_.push_back(std::move(line));
}

void LogWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !lines_.empty(); });
    if (lines_.empty()) return;
    std::string text = std::move(lines_.front());
    lines_.pop_front();
    if (lost_ > 0 && lines_.empty()) {  // those that waited are written: now the gap
      text += log_line(form_, std::chrono::system_clock::now(), LogLevel::warning, "lost",
                       std::vector<LogField>{{"lines", std::to_string(std::exchange(lost_, 0))}});
    }
    lock.unlock();
    const bool written = put(text);
    lock.lock();
    if (!written) return;
  }
}

bool LogWriter::is_late() const {
  const auto give_up = give_up_.load();
  return give_up != 0 && Clock::now().time_since_epoch().count() > give_up;
}

bool LogWriter::put(std::string_view text) {
  while (!text.empty()) {
    pollfd one{descriptor_, POLLOUT, 0};
    const int ready = ::poll(&one, 1, kPollMilliseconds);
    if (ready == 0) {
      if (is_late()) return false;
      continue;
    }
    // A pipe that is ready has room for PIPE_BUF bytes, so the write does not block.
    const auto size =
        ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (size < 0 && errno != EINTR && errno != EAGAIN) return true;  // nobody will ever read it
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
    if (size <= 0 && is_late()) return false;
  }
  return true;
}

}  // namespace caucus::cli
