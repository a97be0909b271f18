#include "caucus/data/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include "caucus/data/read_ahead.hpp"

namespace caucus {
namespace {

// Half of what is read at a time or less: then zlib delivers where it is told to, without a copy.
constexpr unsigned kBufferBytes = 64u << 10;

std::string system_message(int code) { return std::generic_category().message(code); }

}  // namespace

class ByteSource::File {
 public:
  File(gzFile file, std::string name, bool regular)
      : file_(file), name_(std::move(name)), regular_(regular) {}
  ~File() {
    ahead_.reset();
    gzclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;

  Result<std::size_t> read(std::span<char> into) {
    if (ahead_) return ahead_->read(into);
    CAUCUS_TRY(const std::size_t got, read_here(into));
    if (got == into.size()) read_ahead();
    return got;
  }

  Status rewind() {
    ahead_.reset();
    if (!regular_ || gzrewind(file_) != 0) {
      return data_error(name_, "has to be read twice and cannot be (not a regular file)",
                        "expected a file on disk");
    }
    return Done{};
  }

 private:
  Result<std::size_t> read_here(std::span<char> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const auto wanted =
          static_cast<unsigned>(std::min<std::size_t>(into.size() - filled, INT_MAX));
      const int got = gzread(file_, into.data() + filled, wanted);
      // A cut-off stream delivers what it has and reports the loss only here.
      if (got < static_cast<int>(wanted)) CAUCUS_CHECK(check());
      if (got <= 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

  // Not for pipes: a thread that waits for one could not be told to stop.
  void read_ahead() {
    if (!regular_ || gzdirect(file_) != 0) return;
    try {
      ahead_ =
          std::make_unique<ReadAhead>([this](std::span<char> into) { return read_here(into); });
    } catch (const std::system_error&) {  // no thread to be had: it goes on in this one
    }
  }

  Status check() {
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (code == Z_OK || code == Z_STREAM_END) return Done{};
    if (code == Z_ERRNO) {
      return data_error(name_, "cannot be read (" + system_message(errno) + ")", "expected a file");
    }
    if (code == Z_BUF_ERROR) {
      return data_error(name_, "is a truncated gzip file", "expected a complete one");
    }
    return data_error(name_, std::string("is a corrupt gzip file (") + message + ")",
                      "expected an intact one");
  }

  gzFile file_;
  std::string name_;
  bool regular_;
  std::unique_ptr<ReadAhead> ahead_;  // while there is one, only its thread reads file_
};

void ByteSource::Close::operator()(File* file) const { delete file; }

Result<ByteSource> ByteSource::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return data_error(path, "cannot be opened (" + system_message(errno) + ")",
                      "expected a readable data file");
  }
  struct stat info {};
  const bool known = ::fstat(descriptor, &info) == 0;
  if (known && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return data_error(path, "is a directory", "expected a data file");
  }
  gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) {
    ::close(descriptor);
    return data_error(path, "cannot be opened (out of memory)");
  }
  gzbuffer(file, kBufferBytes);
  ByteSource source;
  source.name_ = path;
  source.file_.reset(new File(file, path, known && S_ISREG(info.st_mode)));
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
  const std::size_t count = std::min(into.size(), memory_.size() - position_);
  if (count > 0) std::memcpy(into.data(), memory_.data() + position_, count);
  position_ += count;
  return count;
}

Status ByteSource::rewind() {
  if (file_) return file_->rewind();
  position_ = 0;
  return Done{};
}

}  // namespace caucus
