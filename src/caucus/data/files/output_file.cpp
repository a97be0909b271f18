#include "caucus/data/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>
#include <system_error>

namespace caucus {
namespace {

constexpr std::size_t kBuffered = 64u << 10;
constexpr mode_t kNewFileMode = 0666;  // reduced by the umask
constexpr mode_t kOwnerOnlyMode = 0600;
constexpr int kNames = 1000;  // candidates for the name of a temporary file

/// What is removed if the process is interrupted.
struct Unfinished {
  std::mutex mutex;
  std::set<std::string> files;
  std::multiset<std::string> directories;

  void add_file(const std::string& path) {
    const std::lock_guard lock(mutex);
    files.insert(path);
  }
  void drop_file(const std::string& path) {
    const std::lock_guard lock(mutex);
    files.erase(path);
  }
  void drop_directory(const std::string& path) {
    const std::lock_guard lock(mutex);
    if (const auto found = directories.find(path); found != directories.end()) {
      directories.erase(found);
    }
  }
};
Unfinished& unfinished() {
  static auto* const all = new Unfinished;  // never destroyed, since other threads may use it
  return *all;
}

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
  std::error_code code;
  const auto real = std::filesystem::canonical(path, code);
  return code ? path : real.string();
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

void remove_unfinished_files() {
  Unfinished& all = unfinished();
  const std::lock_guard lock(all.mutex);
  for (const std::string& file : all.files) ::unlink(file.c_str());
  // An inner directory has the longer name, and thus comes later.
  const std::vector<std::string> inner_first(all.directories.rbegin(), all.directories.rend());
  for (const std::string& directory : inner_first) ::rmdir(directory.c_str());
}

struct OutputFile::State {
  std::string path;            // as the user gave it, for messages
  std::string target = {};     // behind symbolic links
  std::string temporary = {};  // empty when writing directly
  std::string buffer = {};
  // Used for devices and pipes only. A temporary file is opened for each flush, so that thousands
  // of files can be written at the same time.
  int descriptor = -1;

  [[nodiscard]] Error failed(int code) const {
    return data_error(path, "cannot be written (" + std::generic_category().message(code) + ")",
                      "expected a writable path and room on the disk");
  }
};

void OutputFile::Discard::operator()(State* state) const {
  if (state->descriptor >= 0) ::close(state->descriptor);
  if (!state->temporary.empty()) {
    ::unlink(state->temporary.c_str());
    unfinished().drop_file(state->temporary);
  }
  delete state;
}

Result<OutputFile> OutputFile::create(const std::string& path, Readers readers) {
  OutputFile output;
  output.state_.reset(new State{path});
  State& file = *output.state_;
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    return data_error(path, "is a directory", "expected a file name to write to");
  }
  if (is_own_stream(path) || (exists && !S_ISREG(info.st_mode))) {
    file.descriptor = open_direct(path);
    if (file.descriptor < 0) return file.failed(errno);
    return output;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return file.failed(errno);
  file.target = behind_links(path);
  const bool secret = readers == Readers::owner;
  std::string temporary;
  int descriptor = -1;
  // A killed process with the same id may have left such a file: in containers ids repeat.
  for (int n = 0; descriptor < 0 && n < kNames; ++n) {
    temporary = temporary_beside(file.target);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        secret ? kOwnerOnlyMode : kNewFileMode);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) return file.failed(errno);
  unfinished().add_file(temporary);
  file.temporary = std::move(temporary);
  // A replaced file keeps its mode.
  const bool moded = !exists || secret || ::fchmod(descriptor, info.st_mode & 07777) == 0;
  const int code = moded ? 0 : errno;
  if (::close(descriptor) != 0 || !moded) return file.failed(moded ? errno : code);
  return output;
}

Status OutputFile::write(std::string_view bytes) {
  state_->buffer.append(bytes);
  return state_->buffer.size() < kBuffered ? Status(Done{}) : flush();
}

Status OutputFile::flush() {
  State& file = *state_;
  const bool direct = file.temporary.empty();
  if (!direct) file.descriptor = ::open(file.temporary.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file.descriptor < 0) return file.failed(errno);
  int code = write_all(file.descriptor, file.buffer);
  file.buffer.clear();
  if (!direct && ::close(std::exchange(file.descriptor, -1)) != 0 && code == 0) code = errno;
  if (code != 0) return file.failed(code);
  return Done{};
}

Status OutputFile::commit() {
  CAUCUS_CHECK(flush());
  State& file = *state_;
  const int code = file.temporary.empty()
                       ? ::close(std::exchange(file.descriptor, -1))
                       : std::rename(file.temporary.c_str(), file.target.c_str());
  if (code != 0) return file.failed(errno);
  unfinished().drop_file(file.temporary);
  file.temporary.clear();
  return Done{};
}

Result<NewDirectory> NewDirectory::make(const std::string& path) {
  std::error_code code;
  NewDirectory directory;
  for (std::filesystem::path each = path;
       !each.empty() && !std::filesystem::exists(each, code) && each != each.root_path();
       each = each.parent_path()) {
    directory.made_.push_back(each);
    const std::lock_guard lock(unfinished().mutex);
    unfinished().directories.insert(each.string());
  }
  std::filesystem::create_directories(path, code);
  if (code || !std::filesystem::is_directory(path, code)) {
    return data_error(path, "is not a directory and cannot be made",
                      "expected a directory to write to");
  }
  return directory;
}

void NewDirectory::keep() {
  for (const auto& each : made_) unfinished().drop_directory(each.string());
  made_.clear();
}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  for (const auto& each : made_) {
    std::filesystem::remove(each, ignored);
    unfinished().drop_directory(each.string());
  }
}

}  // namespace caucus
