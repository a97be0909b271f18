// A hash of numbers or bytes (64-bit FNV-1a), which differs for every change of one of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace caucus {

class Fingerprint {
 public:
  void add(std::uint64_t number) { value_ = (value_ ^ number) * 0x100000001b3U; }
  void add_bytes(std::string_view bytes) {
    for (const char byte : bytes) add(static_cast<unsigned char>(byte));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

inline std::uint64_t fingerprint_of(std::string_view bytes) {
  Fingerprint print;
  print.add_bytes(bytes);
  return print.value();
}

}  // namespace caucus
