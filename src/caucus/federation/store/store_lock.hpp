// That only one server works on a store: a lock on a file beside it, which the system lets go when
// the process ends in whatever way. It is not on the store itself, so that readers come through.
#pragma once

#include <string>

#include "caucus/result.hpp"

namespace caucus {

class StoreLock {
 public:
  static Result<StoreLock> take(const std::string& store);

  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();

 private:
  explicit StoreLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace caucus
