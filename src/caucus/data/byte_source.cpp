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

namespace caucus {
namespace {

constexpr unsigned kBufferBytes = 256u << 10;

std::string system_message(int code) { return std::generic_category().message(code); }

gzFile as_gzip(void* file) { return static_cast<gzFile>(file); }

Status check(void* file, const std::string& name) {
  int code = Z_OK;
  const char* message = gzerror(as_gzip(file), &code);
  if (code == Z_OK || code == Z_STREAM_END) return Done{};
  if (code == Z_ERRNO) {
    return data_error(name, "cannot be read (" + system_message(errno) + ")", "expected a file");
  }
  if (code == Z_BUF_ERROR) {
    return data_error(name, "is a truncated gzip file", "expected a complete one");
  }
  return data_error(name, std::string("is a corrupt gzip file (") + message + ")",
                    "expected an intact one");
}

}  // namespace

void ByteSource::Close::operator()(void* file) const { gzclose(as_gzip(file)); }

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
  source.file_.reset(file);
  source.rewindable_ = known && S_ISREG(info.st_mode);
  return source;
}

ByteSource ByteSource::from_memory(std::string_view bytes, std::string name) {
  ByteSource source;
  source.name_ = std::move(name);
  source.memory_ = bytes;
  return source;
}

Result<std::size_t> ByteSource::read(std::span<char> into) {
  if (!file_) {
    const std::size_t count = std::min(into.size(), memory_.size() - position_);
    if (count > 0) std::memcpy(into.data(), memory_.data() + position_, count);
    position_ += count;
    return count;
  }
  std::size_t filled = 0;
  while (filled < into.size()) {
    const auto wanted = static_cast<unsigned>(std::min<std::size_t>(into.size() - filled, INT_MAX));
    const int got = gzread(as_gzip(file_.get()), into.data() + filled, wanted);
    // A cut-off stream delivers what it has and reports the loss only here.
    if (got < static_cast<int>(wanted)) CAUCUS_CHECK(check(file_.get(), name_));
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

Status ByteSource::rewind() {
  position_ = 0;
  if (!file_) return Done{};
  if (!rewindable_ || gzrewind(as_gzip(file_.get())) != 0) {
    return data_error(name_, "has to be read twice and cannot be (not a regular file)",
                      "expected a file on disk");
  }
  return Done{};
}

}  // namespace caucus
