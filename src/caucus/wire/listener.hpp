// The sockets on which a server waits for connections.
#pragma once

#include <unistd.h>

#include <utility>
#include <vector>

#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::wire {

/// A file of the system's, closed with it; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  /// It is somebody else's to close.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

struct Listener {
  Address address;                  ///< with the port that the system chose
  std::vector<Descriptor> sockets;  ///< a name may be of several addresses

  static Result<Listener> on(const Address& address);
};

}  // namespace caucus::wire
