#include "serving/server_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "options/settings.hpp"

namespace caucus::cli {
namespace {

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

Log log_to(std::FILE* file, LogForm form) {
  return [file, form](LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields) {
    if (level == LogLevel::debug) return;
    const std::string line = log_line(form, std::chrono::system_clock::now(), level, event,
                                      {fields.begin(), fields.size()});
    std::fwrite(line.data(), 1, line.size(), file);  // one call: the stream's lock keeps it whole
    std::fflush(file);
  };
}

}  // namespace caucus::cli
