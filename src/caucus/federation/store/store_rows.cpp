#include "caucus/federation/store/store_rows.hpp"

#include <isa-l/crc.h>

#include <array>
#include <cstddef>

namespace caucus {
namespace {

constexpr std::size_t kClientBytes = 4;
constexpr std::size_t kSizeBytes = 8;

template <std::size_t Count>
std::array<char, Count> little_endian(std::uint64_t value) {
  std::array<char, Count> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(value & 0xffU);
    value >>= 8U;
  }
  return bytes;
}

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[k]);
  }
  return value;
}

/// CRC-32 as in gzip.
std::uint32_t add_to_checksum(std::uint32_t checksum, std::string_view bytes) {
  return crc32_gzip_refl(checksum, reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size());
}

}  // namespace

void pack_reports(std::span<const StoredReport> reports, std::string& into) {
  into.clear();
  for (const StoredReport& report : reports) {
    const auto client = little_endian<kClientBytes>(report.client);
    const auto size = little_endian<kSizeBytes>(report.bytes.size());
    into.append(client.data(), client.size());
    into.append(size.data(), size.size());
    into.append(report.bytes);
  }
}

std::optional<std::vector<StoredReport>> unpack_reports(std::string_view bytes) {
  std::vector<StoredReport> reports;
  while (!bytes.empty()) {
    if (bytes.size() < kClientBytes + kSizeBytes) return std::nullopt;
    const auto client =
        static_cast<std::uint32_t>(from_little_endian(bytes.substr(0, kClientBytes)));
    const std::uint64_t size = from_little_endian(bytes.substr(kClientBytes, kSizeBytes));
    bytes.remove_prefix(kClientBytes + kSizeBytes);
    if (size > bytes.size()) return std::nullopt;
    reports.push_back({client, std::string(bytes.substr(0, size))});
    bytes.remove_prefix(size);
  }
  return reports;
}

std::int64_t row_checksum(std::uint64_t batch, std::string_view bytes) {
  const auto number = little_endian<8>(batch);
  const std::uint32_t checksum = add_to_checksum(0, {number.data(), number.size()});
  return add_to_checksum(checksum, bytes);
}

}  // namespace caucus
