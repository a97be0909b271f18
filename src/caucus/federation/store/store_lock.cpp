#include "caucus/federation/store/store_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace caucus {

Result<StoreLock> StoreLock::take(const std::string& store) {
  const std::string path = store + "-lock";
  StoreLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.descriptor_ < 0 || ::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    if (code == EWOULDBLOCK) {
      return data_error(store, "is in use by another server", "expected one server per store");
    }
    return data_error(path, "cannot be locked (" + std::generic_category().message(code) + ")",
                      "expected a directory where the server may write");
  }
  // The file stays when the lock goes: removing it could remove the next server's lock.
  return lock;
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

StoreLock::~StoreLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace caucus
