// The content of a row of the store: all reports of a batch as one string of bytes, and a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caucus {

/// The report of one client in a batch, as it was received.
struct StoredReport {
  std::uint32_t client = 0;
  std::string bytes;
};

/// Writes for each report the client in 4 bytes, the size in 8, both little-endian, and its bytes.
std::string pack_reports(std::span<const StoredReport> reports);

/// Returns nullopt if the bytes end in the middle of a report.
std::optional<std::vector<StoredReport>> unpack_reports(std::string_view bytes);

/// Returns a checksum of the bytes and of their batch, so that a row in a wrong place is found too.
std::int64_t row_checksum(std::uint64_t batch, std::string_view bytes);

}  // namespace caucus
