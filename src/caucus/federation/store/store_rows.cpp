#include "caucus/federation/store/store_rows.hpp"

#include <isa-l/crc.h>

#include <utility>

#include "caucus/core/base/state_io.hpp"

namespace caucus {
namespace {

/// Computes CRC-32 as in gzip.
std::uint32_t add_to_checksum(std::uint32_t checksum, std::string_view bytes) {
  return crc32_gzip_refl(checksum, reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size());
}

}  // namespace

std::string pack_reports(std::span<const StoredReport> reports) {
  StateWriter writer;
  for (const StoredReport& report : reports) {
    writer.u32(report.client);
    writer.text(report.bytes);
  }
  return writer.take();
}

std::optional<std::vector<StoredReport>> unpack_reports(std::string_view bytes) {
  StateReader reader(bytes);
  std::vector<StoredReport> reports;
  while (reader.ok() && reader.left() > 0) {
    const std::uint32_t client = reader.u32();
    reports.push_back({client, std::string(reader.text())});
  }
  if (!reader.ok()) return std::nullopt;
  return reports;
}

std::int64_t row_checksum(std::uint64_t batch, std::string_view bytes) {
  StateWriter number;
  number.u64(batch);
  return add_to_checksum(add_to_checksum(0, number.bytes()), bytes);
}

}  // namespace caucus
