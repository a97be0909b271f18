#include "serving/http_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace caucus::cli {

bool HttpStream::wait(short events) const {
  using std::chrono::milliseconds;
  constexpr milliseconds kSlice(50);  // after which it is seen that the server stops
  while (!stopping_) {
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket_, events, 0};
    if (poll(&one, 1, static_cast<int>(std::min(left, kSlice).count())) > 0) return true;
  }
  return false;
}

bool HttpStream::is_readable() const { return next_ < end_ || wait(POLLIN); }
bool HttpStream::is_writable() const { return wait(POLLOUT); }

ssize_t HttpStream::read(char* into, std::size_t size) {
  if (next_ == end_) {
    if (left_ == 0 || !wait(POLLIN)) return -1;
    const ssize_t got = recv(socket_, buffer_.data(), std::min(buffer_.size(), left_), 0);
    if (got <= 0) return got;
    next_ = 0;
    end_ = static_cast<std::size_t>(got);
    left_ -= end_;
  }
  const std::size_t given = std::min(size, end_ - next_);
  std::copy_n(buffer_.data() + next_, given, into);
  next_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t HttpStream::write(const char* from, std::size_t size) {
  if (!wait(POLLOUT)) return -1;
  return send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void HttpStream::get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}
void HttpStream::get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const {}

}  // namespace caucus::cli
