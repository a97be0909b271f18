#include "caucus/core/base/state_io.hpp"

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/core/base/text.hpp"

namespace caucus {
namespace {

constexpr std::size_t kChecksumSize = sizeof(std::uint64_t);

}  // namespace

bool StateReader::flag() {
  const std::uint8_t value = u8();
  if (value > 1) (void)refuse("the number " + std::to_string(value), "expected 0 or 1");
  return value == 1;
}

void StateReader::expect(std::string_view name) {
  const std::string_view found = text();
  if (!failure_ && found != name) {
    (void)refuse("unexpected content", "expected \"" + std::string(name) + "\"");
  }
}

std::string_view StateReader::take(std::size_t count) {
  if (failure_) return {};
  if (count > left_.size()) {
    (void)refuse("ends where " + counted(count, "byte") + " should be",
                 "expected " + std::to_string(count - left_.size()) + " more");
    return {};
  }
  const std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(count);
  return taken;
}

std::size_t StateReader::count_of(std::size_t size) {
  const std::uint64_t count = u64();
  if (count <= left_.size() / size) return static_cast<std::size_t>(count);
  (void)refuse("a list of " + std::to_string(count),
               "expected at most the bytes that are left, " + std::to_string(left_.size()));
  return 0;
}

void StateReader::refuse_count(std::size_t count, std::size_t expected) {
  (void)refuse("a list of " + std::to_string(count), "expected " + std::to_string(expected));
}

Status StateReader::refuse(const std::string& what, std::string expected) {
  if (!failure_) {
    const std::size_t at = bytes_.size() - left_.size();
    failure_ =
        data_error(where_, "at byte " + std::to_string(at) + ": " + what, std::move(expected));
  }
  return *failure_;
}

Status StateReader::status() const {
  if (failure_) return *failure_;
  return Done{};
}

Status StateReader::done() const {
  if (failure_) return *failure_;
  if (left_.empty()) return Done{};
  return data_error(where_, counted(left_.size(), "byte") + " after the end", "expected none");
}

std::string sealed(std::string bytes) {
  StateWriter sum;
  sum.u64(fingerprint_of(bytes));
  return std::move(bytes) + sum.bytes();
}

Result<std::string_view> unsealed(std::string_view bytes, std::string where) {
  if (bytes.size() < kChecksumSize) {
    return data_error(std::move(where), counted(bytes.size(), "byte"), "expected a checksum");
  }
  const std::string_view content = bytes.substr(0, bytes.size() - kChecksumSize);
  StateReader sum(bytes.substr(content.size()));
  if (sum.u64() != fingerprint_of(content)) {
    return data_error(std::move(where), "the checksum is wrong",
                      "expected a complete and unchanged file");
  }
  return content;
}

}  // namespace caucus
