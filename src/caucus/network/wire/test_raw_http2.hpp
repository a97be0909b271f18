// For tests: HTTP/2 as somebody writes it who keeps to no limit of the other side but its windows.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "caucus/network/address.hpp"

namespace caucus::wire::raw {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum Type : char { kData = 0, kHeaders = 1, kSettings = 4, kPing = 6, kWindowUpdate = 8 };
inline constexpr char kAck = 1;
inline constexpr char kEndHeaders = 4;

/// The last bytes of a number, the highest first.
inline std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int n = bytes - 1; n >= 0; --n) text += static_cast<char>(value >> (8 * n));
  return text;
}

inline std::uint32_t number_in(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<std::uint8_t>(byte);
  return value;
}

inline std::string frame(Type type, char flags, std::uint32_t stream, std::string_view content) {
  return number(static_cast<std::uint32_t>(content.size()), 3) + static_cast<char>(type) + flags +
         number(stream, 4) + std::string(content);
}

/// The headers of a call of this method.
inline std::string call(const std::string& method) {
  const auto field = [](const std::string& name, const std::string& value) {
    return std::string(1, '\0') + static_cast<char>(name.size()) + name +
           static_cast<char>(value.size()) + value;
  };
  return field(":method", "POST") + field(":scheme", "http") +
         field(":path", "/caucus.v1.Federation/" + method) + field(":authority", "x") +
         field("content-type", "application/grpc") + field("te", "trailers");
}

/// A message as gRPC frames it, or the beginning of one that is longer by so many bytes.
inline std::string framed(std::string_view message, std::size_t missing = 0) {
  return std::string(1, '\0') + number(static_cast<std::uint32_t>(message.size() + missing), 4) +
         std::string(message);
}

/// A connection to this machine.
class Connection {
 public:
  explicit Connection(const Address& server) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(server.port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  ~Connection() { ::close(socket_); }

  /// False if the other side has gone.
  bool say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// What comes within this time; nothing also if the other side has gone.
  std::string hear(std::chrono::milliseconds within) {
    pollfd one{socket_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(within.count())) <= 0) return {};
    std::string heard(65'536, '\0');
    const ssize_t came = ::recv(socket_, heard.data(), heard.size(), 0);
    over_ = over_ || came <= 0;
    heard.resize(static_cast<std::size_t>(std::max<ssize_t>(came, 0)));
    return heard;
  }
  [[nodiscard]] bool over() const { return over_; }

 private:
  const int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  bool over_ = false;
};

/// Sends messages on several streams as far as the windows of the other side allow.
class Sender {
 public:
  Sender(const Address& server, const std::string& method, std::uint32_t streams)
      : connection_(server) {
    std::string bytes(kPreface);
    bytes += frame(kSettings, 0, 0, "");
    for (std::uint32_t n = 0; n < streams; ++n) {
      bytes += frame(kHeaders, kEndHeaders, 2 * n + 1, call(method));
      windows_[2 * n + 1] = kFirstWindow;
    }
    connection_.say(bytes);
  }

  /// All but the end of a message of this size on each stream, as far as it goes in this time.
  void send_most_of(std::size_t size, std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    const std::string beginning = framed("", size);
    std::map<std::uint32_t, std::int64_t> left;
    for (auto& [stream, window] : windows_) {
      connection_.say(frame(kData, 0, stream, beginning));
      window -= std::ssize(beginning);
      window_ -= std::ssize(beginning);
      left[stream] = std::int64_t(size) - 1;
    }
    while (std::chrono::steady_clock::now() < end && !left.empty() && !connection_.over()) {
      const bool sent = advance(left);
      take_in(connection_.hear(std::chrono::milliseconds(sent ? 0 : 10)));
    }
  }

 private:
  static constexpr std::int64_t kFirstWindow = 65'535;
  static constexpr std::int64_t kLargestFrame = 16'384;

  bool advance(std::map<std::uint32_t, std::int64_t>& left) {
    bool sent = false;
    for (auto one = left.begin(); one != left.end();) {
      auto& [stream, bytes] = *one;
      std::int64_t& window = windows_[stream];
      const auto now = std::min({window, window_, kLargestFrame, bytes});
      if (now > 0) {
        sent = connection_.say(frame(kData, 0, stream, std::string(std::size_t(now), 'x'))) || sent;
        bytes -= now;
        window -= now;
        window_ -= now;
      }
      one = bytes == 0 ? left.erase(one) : std::next(one);
    }
    return sent;
  }
  void take_in(const std::string& bytes) {
    heard_ += bytes;
    while (heard_.size() >= 9) {
      const std::size_t size = number_in(heard_.substr(0, 3));
      if (heard_.size() < 9 + size) return;
      const std::uint32_t stream = number_in(heard_.substr(5, 4));
      const std::string content = heard_.substr(9, size);
      const bool is_new = (heard_[4] & kAck) == 0;
      if (heard_[3] == kWindowUpdate) {
        (stream == 0 ? window_ : windows_[stream]) += number_in(content);
      }
      if (heard_[3] == kPing && is_new) connection_.say(frame(kPing, kAck, 0, content));
      if (heard_[3] == kSettings && is_new) take_in_settings(content);
      heard_.erase(0, 9 + size);
    }
  }
  void take_in_settings(std::string settings) {
    connection_.say(frame(kSettings, kAck, 0, ""));
    for (; settings.size() >= 6; settings.erase(0, 6)) {
      if (number_in(settings.substr(0, 2)) != 4) continue;  // the window of a stream
      for (auto& [stream, window] : windows_) {
        window += std::int64_t(number_in(settings.substr(2, 4))) - first_;
      }
      first_ = number_in(settings.substr(2, 4));
    }
  }

  Connection connection_;
  std::int64_t window_ = kFirstWindow, first_ = kFirstWindow;
  std::map<std::uint32_t, std::int64_t> windows_;
  std::string heard_;
};

}  // namespace caucus::wire::raw
