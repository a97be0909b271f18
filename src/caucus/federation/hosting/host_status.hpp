// The status of a federation that is being served.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/federation/federation.hpp"

namespace caucus {

/// The content of `caucus status`.
struct HostStatus {
  Federation::Phase phase = Federation::Phase::waiting;
  std::uint64_t batch = 0, durable = 0;
  bool asynchronous = false;  ///< clients do not wait for each other
  std::vector<Member> members;
  std::vector<double> probabilities;
  std::vector<std::string> spaces;
  double loss = 0.0, squared_error = 0.0;  ///< sums over the predictions
  std::uint64_t forecasts = 0;
  std::uint64_t upload_bits = 0, download_bits = 0;  ///< counted by the paper's formula
  Time now{};
};

}  // namespace caucus
