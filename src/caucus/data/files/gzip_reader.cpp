#include "caucus/data/files/gzip_reader.hpp"

#include <isa-l/igzip_lib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

namespace caucus {
namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;  // ISA-L counts in 32 bits

const char* message_of(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect checksum";
    default:
      return "invalid data";
  }
}

}  // namespace

struct GzipReader::Unpacking {
  inflate_state state{};
  bool finished = false;  ///< the last stream

  void begin() {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
  }
};

GzipReader::GzipReader(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), input_(kInputBytes) {}

GzipReader::~GzipReader() { ::close(descriptor_); }

bool GzipReader::rewind() {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) return false;
  begun_ = at_end_ = false;
  next_ = end_ = 0;
  unpacking_.reset();
  return true;
}

Result<std::size_t> GzipReader::read(std::span<char> into) {
  if (!begun_) {
    while (end_ < 2 && !at_end_) CAUCUS_CHECK(refill());
    begun_ = true;
    if (begins_stream()) {
      unpacking_ = std::make_unique<Unpacking>();
      unpacking_->begin();
    }
  }
  return unpacking_ ? read_packed(into) : read_plain(into);
}

Result<std::size_t> GzipReader::read_plain(std::span<char> into) {
  std::size_t filled = std::min(into.size(), end_ - next_);
  std::copy_n(input_.data() + next_, filled, into.data());
  next_ += filled;
  while (filled < into.size() && !at_end_) {
    CAUCUS_TRY(const std::size_t got, read_file(into.data() + filled, into.size() - filled));
    filled += got;
  }
  return filled;
}

Result<std::size_t> GzipReader::read_packed(std::span<char> into) {
  inflate_state& state = unpacking_->state;
  std::size_t filled = 0;
  while (filled < into.size() && !unpacking_->finished) {
    if (next_ == end_ && !at_end_) CAUCUS_CHECK(refill());
    const std::size_t room = std::min(into.size() - filled, kMostAtOnce);
    state.next_in = reinterpret_cast<std::uint8_t*>(input_.data() + next_);
    state.avail_in = static_cast<std::uint32_t>(end_ - next_);
    state.next_out = reinterpret_cast<std::uint8_t*>(into.data() + filled);
    state.avail_out = static_cast<std::uint32_t>(room);
    const int code = isal_inflate(&state);
    next_ = end_ - state.avail_in;
    const std::size_t made = room - state.avail_out;
    filled += made;
    if (code < 0 || code == ISAL_NEED_DICT) {
      return data_error(name_, std::string("is a corrupt gzip file (") + message_of(code) + ")",
                        "expected an intact one");
    }
    if (state.block_state == ISAL_BLOCK_FINISH) {
      while (end_ - next_ < 2 && !at_end_) CAUCUS_CHECK(refill());
      unpacking_->finished = !begins_stream();
      if (!unpacking_->finished) unpacking_->begin();
    } else if (made == 0 && next_ == end_ && at_end_) {
      return data_error(name_, "is a truncated gzip file", "expected a complete one");
    }
  }
  return filled;
}

bool GzipReader::begins_stream() const {
  return end_ - next_ >= 2 && static_cast<unsigned char>(input_[next_]) == 0x1F &&
         static_cast<unsigned char>(input_[next_ + 1]) == 0x8B;
}

Result<std::size_t> GzipReader::refill() {
  std::memmove(input_.data(), input_.data() + next_, end_ - next_);
  end_ -= next_;
  next_ = 0;
  CAUCUS_TRY(const std::size_t got, read_file(input_.data() + end_, input_.size() - end_));
  end_ += got;
  return end_;
}

Result<std::size_t> GzipReader::read_file(char* into, std::size_t size) {
  for (;;) {
    const ::ssize_t got = ::read(descriptor_, into, std::min(size, kMostAtOnce));
    if (got >= 0) {
      at_end_ = got == 0;
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) {
      return data_error(name_, "cannot be read (" + std::generic_category().message(errno) + ")",
                        "expected a file");
    }
  }
}

}  // namespace caucus
