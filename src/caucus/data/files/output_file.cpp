#include "caucus/data/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

namespace caucus {
namespace {

constexpr std::size_t kBuffered = 64u << 10;
constexpr mode_t kNewFileMode = 0666;  // reduced by the umask
constexpr mode_t kOwnerOnlyMode = 0600;
constexpr int kNames = 1000;  // candidates for the name of a temporary file

// Returns whether the path is a stream of this process, which cannot be replaced by renaming.
bool is_own_stream(const std::string& path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

int open_direct(const std::string& path) {
  // Opening a redirected stream again would start at its beginning.
  if (path == "/dev/stdout") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (path == "/dev/stderr") return ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string behind_links(const std::string& path) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
  return real ? std::string(real.get()) : path;
}

/// The temporary file is in the same directory and hidden. A killed process leaves it behind, and
/// programs that read all files of the directory must not read it.
std::string temporary_beside(const std::string& target) {
  static std::atomic<unsigned> serial{0};
  const std::size_t name = target.rfind('/') + 1;  // 0 if there is none
  return target.substr(0, name) + "." + target.substr(name) + ".tmp-" + std::to_string(::getpid()) +
         "-" + std::to_string(serial++);
}

}  // namespace

Error OutputFile::failed(int code) const {
  return data_error(path_, "cannot be written (" + std::generic_category().message(code) + ")",
                    "expected a writable path and room on the disk");
}

Result<OutputFile> OutputFile::create(const std::string& path, Readers readers) {
  OutputFile file;
  file.path_ = path;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return data_error(path, "is a directory", "expected a file name to write to");
  }
  if (is_own_stream(path) || (exists && !S_ISREG(info.st_mode))) {
    file.descriptor_ = open_direct(path);
    if (file.descriptor_ < 0) return file.failed(errno);
    return file;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return file.failed(errno);
  file.target_ = behind_links(path);
  const bool secret = readers == Readers::owner;
  std::string temporary;
  int descriptor = -1;
  // A killed process with the same id may have left such a file: in containers ids repeat.
  for (int n = 0; descriptor < 0 && n < kNames; ++n) {
    temporary = temporary_beside(file.target_);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        secret ? kOwnerOnlyMode : kNewFileMode);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) return file.failed(errno);
  file.temporary_ = std::move(temporary);
  if (exists && !secret)
    ::fchmod(descriptor, info.st_mode & 07777);  // a replaced file keeps its mode
  if (::close(descriptor) != 0) return file.failed(errno);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::exchange(other.buffer_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  path_ = std::move(other.path_);
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  buffer_ = std::exchange(other.buffer_, {});
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  descriptor_ = -1;
  temporary_.clear();
  buffer_.clear();
}

Status OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() < kBuffered ? Status(Done{}) : flush();
}

Status OutputFile::flush() {
  const bool direct = temporary_.empty();
  if (!direct) descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) return failed(errno);
  int code = write_all(descriptor_, buffer_);
  buffer_.clear();
  if (!direct && ::close(std::exchange(descriptor_, -1)) != 0 && code == 0) code = errno;
  if (code != 0) return failed(code);
  return Done{};
}

Status OutputFile::commit() {
  CAUCUS_CHECK(flush());
  if (temporary_.empty()) {
    if (::close(std::exchange(descriptor_, -1)) != 0) return failed(errno);
    return Done{};
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  return Done{};
}

}  // namespace caucus
