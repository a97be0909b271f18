// What is to be seen of a federation that is being served.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "caucus/federation/federation.hpp"

namespace caucus {

/// What `caucus status` shows.
struct HostStatus {
  Federation::Phase phase = Federation::Phase::waiting;
  std::uint64_t batch = 0, durable = 0;
  std::vector<Member> members;  ///< without what they were given and said
  std::vector<double> probabilities;
  std::vector<std::string> spaces;
  double loss = 0.0, squared_error = 0.0;  ///< sums over the forecasts
  std::uint64_t forecasts = 0;
  std::uint64_t upload_bits = 0, download_bits = 0;  ///< by the formula
  Time now{};
};

/// All but what the host knows: durable and now.
HostStatus status_of(const Federation& federation);

}  // namespace caucus
