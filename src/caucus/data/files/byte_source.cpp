#include "caucus/data/files/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "caucus/data/files/gzip_reader.hpp"
#include "caucus/data/files/read_ahead.hpp"

namespace caucus {
namespace {

std::string system_message(int code) { return std::generic_category().message(code); }

}  // namespace

class ByteSource::File {
 public:
  File(int descriptor, std::string name, bool regular)
      : reader_(descriptor, name), name_(std::move(name)), regular_(regular) {}

  Result<std::size_t> read(std::span<char> into) {
    if (ahead_) return ahead_->read(into);
    CAUCUS_TRY(const std::size_t got, reader_.read(into));
    if (got == into.size()) read_ahead();
    return got;
  }

  Status rewind() {
    ahead_.reset();
    if (!regular_ || !reader_.rewind()) {
      return data_error(name_, "has to be read twice and cannot be (not a regular file)",
                        "expected a file on disk");
    }
    return Done{};
  }

 private:
  // Pipes are excluded because a thread that waits for a pipe cannot be stopped.
  void read_ahead() {
    if (!regular_ || !reader_.packed()) return;
    try {
      ahead_ =
          std::make_unique<ReadAhead>([this](std::span<char> into) { return reader_.read(into); });
    } catch (const std::system_error&) {  // no thread can be started, so this one reads
    }
  }

  GzipReader reader_;
  std::string name_;
  bool regular_;
  std::unique_ptr<ReadAhead> ahead_;  // if set, only its thread uses the reader
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
  ByteSource source;
  source.name_ = path;
  source.file_.reset(new File(descriptor, path, known && S_ISREG(info.st_mode)));
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
