// For tests: HTTP/2 as somebody writes it who keeps to no limit of the other side but its windows.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "caucus/federation/security/address.hpp"

namespace caucus::wire::raw {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
enum Type : char {
  kData = 0,
  kHeaders = 1,
  kReset = 3,
  kSettings = 4,
  kPing = 6,
  kWindowUpdate = 8
};
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

/// How a header is written: for now, or to be remembered, so that a byte is enough the next time.
enum Written : char { kOnce = 0, kRemembered = 0x40 };

/// The headers of a call of this method; without one if that has no name.
inline std::string call(const std::string& method, Written how = kOnce) {
  const auto field = [&](const std::string& name, const std::string& value) {
    return std::string(1, how) + static_cast<char>(name.size()) + name +
           static_cast<char>(value.size()) + value;
  };
  return field(":method", "POST") + field(":scheme", "http") +
         (method.empty() ? "" : field(":path", "/caucus.v1.Federation/" + method)) +
         field(":authority", "x") + field("content-type", "application/grpc") +
         field("te", "trailers");
}
/// Returns the headers of another such call as indices into HPACK's dynamic table, which follows
/// the 61 entries of the static one and begins with the newest entry.
inline std::string same_call(const std::string& method) {
  const std::string six = "\xC3\xC2\xC1\xC0\xBF\xBE";
  return method.empty() ? six.substr(1) : six;
}

/// Returns a message as gRPC frames it, or the beginning of one that has `missing` more bytes.
inline std::string framed(std::string_view message, std::size_t missing = 0) {
  return std::string(1, '\0') + number(static_cast<std::uint32_t>(message.size() + missing), 4) +
         std::string(message);
}

/// A connection to this machine, of which nobody checks the certificate.
class Connection {
 public:
  explicit Connection(const Address& server, bool tls = false, std::uint16_t from_port = 0)
      : socket_(::socket(server.host == "::1" ? AF_INET6 : AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(server.port);
    six.sin6_addr = in6addr_loopback;
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(from_port);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int again = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
    if (server.host != "::1") {
      EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&four), sizeof four), 0);
    }
    four.sin_port = htons(server.port);
    if (server.host == "127.0.0.2") four.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    EXPECT_EQ(server.host == "::1"
                  ? ::connect(socket_, reinterpret_cast<sockaddr*>(&six), sizeof six)
                  : ::connect(socket_, reinterpret_cast<sockaddr*>(&four), sizeof four),
              0);
    if (tls) encrypt();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  ~Connection() { ::close(socket_); }

  /// False if the other side has gone.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent =
          tls_ == nullptr ? ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                          : SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// What comes within this time, as it comes; nothing also if the other side has gone.
  std::string receive(std::chrono::milliseconds within) {
    pollfd one{socket_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(within.count())) <= 0) return {};
    std::string received(65'536, '\0');
    const ssize_t came = ::recv(socket_, received.data(), received.size(), 0);
    over_ = over_ || came <= 0;
    received.resize(static_cast<std::size_t>(std::max<ssize_t>(came, 0)));
    return received;
  }
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] std::uint16_t port() const {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size), 0);
    return ntohs(own.sin_port);
  }
  /// Whether the other side goes within this time.
  bool ends(std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (!over_ && std::chrono::steady_clock::now() < end) receive(std::chrono::milliseconds(20));
    return over_;
  }

 private:
  void encrypt() {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL does not ask for less
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
        SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    tls_.reset(SSL_new(context.get()));
    const std::string protocols = "\x02h2";
    SSL_set_alpn_protos(tls_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                        static_cast<unsigned>(protocols.size()));
    SSL_set_fd(tls_.get(), socket_);
    EXPECT_EQ(SSL_connect(tls_.get()), 1);
  }

  const int socket_;
  std::unique_ptr<SSL, decltype(&SSL_free)> tls_{nullptr, &SSL_free};
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
    connection_.send(bytes);
  }

  /// All but the end of a message of this size on each stream, as far as it goes in this time.
  void send_most_of(std::size_t size, std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    const std::string beginning = framed("", size);
    std::map<std::uint32_t, std::int64_t> left;
    for (auto& [stream, window] : windows_) {
      connection_.send(frame(kData, 0, stream, beginning));
      window -= std::ssize(beginning);
      window_ -= std::ssize(beginning);
      left[stream] = std::int64_t(size) - 1;
    }
    while (std::chrono::steady_clock::now() < end && !left.empty() && !connection_.over()) {
      const bool sent = advance(left);
      take_in(connection_.receive(std::chrono::milliseconds(sent ? 0 : 10)));
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
        sent =
            connection_.send(frame(kData, 0, stream, std::string(std::size_t(now), 'x'))) || sent;
        bytes -= now;
        window -= now;
        window_ -= now;
      }
      one = bytes == 0 ? left.erase(one) : std::next(one);
    }
    return sent;
  }
  void take_in(const std::string& bytes) {
    received_ += bytes;
    while (received_.size() >= 9) {
      const std::size_t size = number_in(received_.substr(0, 3));
      if (received_.size() < 9 + size) return;
      const std::uint32_t stream = number_in(received_.substr(5, 4));
      const std::string content = received_.substr(9, size);
      const bool is_new = (received_[4] & kAck) == 0;
      if (received_[3] == kWindowUpdate) {
        (stream == 0 ? window_ : windows_[stream]) += number_in(content);
      }
      if (received_[3] == kPing && is_new) connection_.send(frame(kPing, kAck, 0, content));
      if (received_[3] == kSettings && is_new) take_in_settings(content);
      received_.erase(0, 9 + size);
    }
  }
  void take_in_settings(std::string settings) {
    connection_.send(frame(kSettings, kAck, 0, ""));
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
  std::string received_;
};

}  // namespace caucus::wire::raw
