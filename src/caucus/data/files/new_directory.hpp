// A directory made for files to come, with those above it: gone again if the files do not come.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

class NewDirectory {
 public:
  /// One that is there already is as good, and stays whatever happens.
  static Result<NewDirectory> make(const std::string& path);

  NewDirectory(NewDirectory&& other) noexcept : made_(std::exchange(other.made_, {})) {}
  NewDirectory& operator=(NewDirectory&&) = delete;
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  /// Unless kept, what was made vanishes as far as it is empty.
  ~NewDirectory();

  void keep() { made_.clear(); }

 private:
  NewDirectory() = default;
  std::vector<std::filesystem::path> made_;  // innermost first
};

}  // namespace caucus
