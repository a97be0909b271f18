#include "caucus/data/files/line_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace caucus {
namespace {

// At least half of the buffer is free when it is filled, which is twice zlib's buffer.
constexpr std::size_t kFirstBuffer = 256u << 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string LineReader::where() const { return source_->name() + ":" + std::to_string(number_); }

std::string column_where(const std::string& line_where, std::size_t column) {
  return line_where + ": column " + std::to_string(column);
}

bool LineReader::deliver(std::size_t length, std::size_t consumed, std::string_view& line) {
  line = std::string_view(buffer_.data() + begin_, length);
  begin_ += consumed;
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Result<bool> LineReader::refill() {
  const std::size_t rest = end_ - begin_;
  if (rest > kLongestLine) {
    return data_error(source_->name() + ":" + std::to_string(number_ + 1),
                      "has a line longer than 64 MiB", "expected a text file");
  }
  if (rest > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, rest);
  begin_ = 0;
  end_ = rest;
  if (rest >= buffer_.size() / 2) buffer_.resize(std::max(kFirstBuffer, 2 * buffer_.size()));
  CAUCUS_TRY(const std::size_t got, source_->read(std::span(buffer_).subspan(rest)));
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

Result<bool> LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t available = end_ - begin_;
    if (available > searched) {
      const char* start = buffer_.data() + begin_;
      const void* found = std::memchr(start + searched, '\n', available - searched);
      if (found != nullptr) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
        return deliver(length, length + 1, line);
      }
    }
    searched = available;
    if (!at_end_) {
      CAUCUS_TRY(const bool more, refill());
      if (more) continue;
    }
    if (begin_ == end_) return false;
    return deliver(end_ - begin_, end_ - begin_, line);
  }
}

}  // namespace caucus
