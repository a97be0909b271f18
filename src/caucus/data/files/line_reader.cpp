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

Result<bool> LineReader::refill() {
  const std::size_t rest = end_ - begin_;
  if (rest > kLongestLine) {
    return data_error(source_->name() + ":" + std::to_string(number_ + 1),
                      "has a line longer than 64 MiB", "expected a text file");
  }
  if (rest > 0 && begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, rest);
  begin_ = 0;
  if (rest >= buffer_.size() / 2) buffer_.resize(std::max(kFirstBuffer, 2 * buffer_.size()));
  CAUCUS_TRY(const std::size_t got, source_->read(std::span(buffer_).subspan(rest)));
  end_ = rest + got;
  return got > 0;
}

Result<bool> LineReader::next(std::string_view& line) {
  std::size_t length = 0;
  for (;;) {
    line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    const std::size_t found = line.find('\n', length);
    length = std::min(found, line.size());
    if (found != std::string_view::npos) break;
    CAUCUS_TRY(const bool more, refill());
    if (more) continue;
    if (length == 0) return false;
    line = std::string_view(buffer_.data(), length);
    break;
  }
  begin_ = std::min(begin_ + length + 1, end_);
  line = line.substr(0, length);
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

}  // namespace caucus
