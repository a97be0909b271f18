#include "caucus/data/files/byte_source.hpp"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "caucus/data/files/read_ahead.hpp"

namespace caucus {

std::atomic<std::uint64_t>& bytes_read() {
  static std::atomic<std::uint64_t> bytes{0};
  return bytes;
}

namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;  // ISA-L counts in 32 bits

const char* message_of(int code) {
  constexpr std::pair<int, const char*> kMessages[] = {
      {ISAL_INVALID_BLOCK, "invalid block"},
      {ISAL_INVALID_SYMBOL, "invalid symbol"},
      {ISAL_INVALID_LOOKBACK, "invalid distance"},
      {ISAL_INVALID_WRAPPER, "invalid header"},
      {ISAL_UNSUPPORTED_METHOD, "unknown compression method"},
      {ISAL_INCORRECT_CHECKSUM, "incorrect checksum"}};
  for (const auto& [known, message] : kMessages) {
    if (code == known) return message;
  }
  return "invalid data";
}

Error system_error(const std::string& name, const char* what, const char* expected) {
  return data_error(name, std::string(what) + " (" + std::generic_category().message(errno) + ")",
                    expected);
}

/// Reads a file and decompresses it if its first two bytes are those of a gzip file.
class GzipReader {
 public:
  GzipReader(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), input_(kInputBytes) {}
  ~GzipReader() { ::close(descriptor_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  GzipReader(GzipReader&&) = delete;
  GzipReader& operator=(GzipReader&&) = delete;

  /// Concatenated gzip streams are read as one, and other bytes after the last stream are ignored,
  /// as gzip does.
  Result<std::size_t> read(std::span<char> into) {
    if (!begun_) {
      CAUCUS_CHECK(refill());
      begun_ = true;
      if (begins_stream()) begin_stream();
    }
    return inflate_ ? read_packed(into) : read_plain(into);
  }

  /// Returns whether the file is compressed. Valid after the first read().
  [[nodiscard]] bool packed() const { return inflate_.has_value(); }

  /// Returns to the first byte; false if the file does not support seeking.
  bool rewind() {
    if (::lseek(descriptor_, 0, SEEK_SET) != 0) return false;
    begun_ = at_end_ = finished_ = false;
    next_ = end_ = 0;
    inflate_.reset();
    return true;
  }

 private:
  void begin_stream() {
    if (!inflate_) inflate_.emplace();
    isal_inflate_init(&*inflate_);
    inflate_->crc_flag = ISAL_GZIP;
  }

  Result<std::size_t> read_plain(std::span<char> into) {
    std::size_t filled = std::min(into.size(), end_ - next_);
    std::copy_n(input_.data() + next_, filled, into.data());
    next_ += filled;
    while (filled < into.size() && !at_end_) {
      CAUCUS_TRY(const std::size_t got, read_file(into.data() + filled, into.size() - filled));
      filled += got;
    }
    return filled;
  }

  Result<std::size_t> read_packed(std::span<char> into) {
    inflate_state& state = *inflate_;
    std::size_t filled = 0;
    while (filled < into.size() && !finished_) {
      if (next_ == end_) CAUCUS_CHECK(refill());
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
        CAUCUS_CHECK(refill());
        finished_ = !begins_stream();
        if (!finished_) begin_stream();
      } else if (made == 0 && next_ == end_ && at_end_) {
        return data_error(name_, "is a truncated gzip file", "expected a complete one");
      }
    }
    return filled;
  }

  [[nodiscard]] bool begins_stream() const {
    return std::string_view(input_.data() + next_, end_ - next_).starts_with("\x1F\x8B");
  }

  /// Reads on until at least two bytes of the input are unused, or the file ends.
  Status refill() {
    while (end_ - next_ < 2 && !at_end_) {
      std::memmove(input_.data(), input_.data() + next_, end_ - next_);
      end_ -= next_;
      next_ = 0;
      CAUCUS_TRY(const std::size_t got, read_file(input_.data() + end_, input_.size() - end_));
      end_ += got;
    }
    return Done{};
  }

  /// Reads up to `size` bytes of the file without decompressing.
  Result<std::size_t> read_file(char* into, std::size_t size) {
    ::ssize_t got = -1;
    do {
      got = ::read(descriptor_, into, std::min(size, kMostAtOnce));
    } while (got < 0 && errno == EINTR);
    if (got < 0) return system_error(name_, "cannot be read", "expected a file");
    at_end_ = got == 0;
    bytes_read() += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

  int descriptor_;
  std::string name_;
  bool begun_ = false;
  bool at_end_ = false;      // whether the whole file was read
  std::vector<char> input_;  // [next_, end_) is unused
  std::size_t next_ = 0, end_ = 0;
  std::optional<inflate_state> inflate_;  // absent if the file is not compressed
  bool finished_ = false;                 // whether the last gzip stream has ended
};

}  // namespace

struct ByteSource::File {
  File(int descriptor, const std::string& name, bool is_regular)
      : reader(descriptor, name), regular(is_regular) {}

  Result<std::size_t> read(std::span<char> into) {
    if (ahead) return ahead->read(into);
    if (replayed < kept.size()) {
      const std::size_t count =
          std::string_view(kept).substr(replayed).copy(into.data(), into.size());
      replayed += count;
      return count;
    }
    CAUCUS_TRY(const std::size_t got, reader.read(into));
    if (!regular) {
      kept.append(into.data(), got);
      replayed = kept.size();
    }
    // Pipes are excluded because a thread that waits for a pipe cannot be stopped.
    if (got == into.size() && regular && reader.packed()) {
      ahead =
          std::make_unique<ReadAhead>([this](std::span<char> block) { return reader.read(block); });
    }
    return got;
  }

  GzipReader reader;
  bool regular;
  std::string kept;                  // what was read of a stream, to read it again
  std::size_t replayed = 0;          // bytes of it
  std::unique_ptr<ReadAhead> ahead;  // if set, only its thread uses the reader
};

void ByteSource::Close::operator()(File* file) const { delete file; }

Result<ByteSource> ByteSource::open(const std::string& path) {
  const bool standard = path == "-";
  const int descriptor = standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string name = standard ? "standard input" : path;
  if (descriptor < 0) {
    return system_error(name, "cannot be opened", "expected a readable data file");
  }
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return data_error(name, "is a directory", "expected a data file");
  }
  ByteSource source = from_memory({}, name);
  source.file_.reset(new File(descriptor, name, known && S_ISREG(info.st_mode) && !standard));
  return source;
}

ByteSource ByteSource::from_memory(std::string_view bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.memory_ = bytes;
  return source;
}

Result<std::size_t> ByteSource::read(std::span<char> into) {
  if (file_) return file_->read(into);
  const std::size_t count = memory_.substr(position_).copy(into.data(), into.size());
  position_ += count;
  return count;
}

bool ByteSource::is_stream() const { return file_ && !file_->regular; }

Status ByteSource::rewind() {
  position_ = 0;
  if (!file_) return Done{};
  file_->ahead.reset();
  file_->replayed = 0;
  if (!file_->regular) return Done{};
  if (file_->reader.rewind()) return Done{};
  return data_error(name_, "has to be read twice and cannot be", "expected a file on disk");
}

}  // namespace caucus
