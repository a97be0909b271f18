// An HTTP connection with a deadline and a limit of bytes, so that neither a slow client nor one
// that never stops sending can hold it.
#pragma once

#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

namespace caucus::cli {

class HttpStream final : public httplib::Stream {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Until `deadline`, until so many bytes were read or until `stopping`; then nothing can be read
  /// or written any more.
  HttpStream(int socket, Time deadline, std::size_t most, const std::atomic<bool>& stopping)
      : socket_(socket), deadline_(deadline), left_(most), stopping_(stopping) {}

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;  ///< nobody asks
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  /// False if it is too late.
  [[nodiscard]] bool wait(short events) const;

  const int socket_;
  const Time deadline_;
  std::size_t left_;
  const std::atomic<bool>& stopping_;
  std::array<char, 4096> buffer_{};  ///< httplib reads byte by byte
  std::size_t next_ = 0, end_ = 0;
};

}  // namespace caucus::cli
