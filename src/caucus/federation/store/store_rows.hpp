// What a row of the store holds: all reports of a batch as one string of bytes, and a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caucus {

/// What one client reported in a batch, as it came over the wire.
struct StoredReport {
  std::uint32_t client = 0;
  std::string bytes;
};

/// Per report: the client in 4 bytes, the size in 8, both little-endian, and the bytes themselves.
void pack_reports(std::span<const StoredReport> reports, std::string& into);

/// Nothing if the bytes end in the middle of a report.
std::optional<std::vector<StoredReport>> unpack_reports(std::string_view bytes);

/// Of the bytes and of the batch they belong to, so that a row in a wrong place is found too.
std::int64_t row_checksum(std::uint64_t batch, std::string_view bytes);

}  // namespace caucus
