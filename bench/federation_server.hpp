// The server of the federation benchmark, which runs in its own process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "caucus/federation/security/certificates.hpp"

namespace caucus::bench {

inline constexpr std::size_t kFeatures = 18;

struct Setting {
  std::string mode;
  std::size_t clients = 10;
  double seconds = 2.0;
  bool tls = false;
  std::size_t commit_every = 1'000;  ///< batches per durable commit
  std::size_t sample_size = 2;
  std::uint32_t frequencies = 100;
};

struct Keys {
  Identity authority, server;
};

/// The data that the server sends to its parent.
struct ServerFigures {
  int port = 0;
  double megabytes_before = 0.0, megabytes_with = 0.0;
};

/// Writes its address, serves until the parent closes the pipe, and writes its memory.
void serve(const Setting& setting, const Keys& keys, int told, int tells);

}  // namespace caucus::bench
