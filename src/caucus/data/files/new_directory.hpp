// Creates a directory and its missing parents, and removes them again unless keep() is called.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

class NewDirectory {
 public:
  /// A directory that already exists is left as it is, and is never removed.
  static Result<NewDirectory> make(const std::string& path);

  NewDirectory(NewDirectory&& other) noexcept : made_(std::exchange(other.made_, {})) {}
  NewDirectory& operator=(NewDirectory&&) = delete;
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;
  /// Removes the directories that were created and are empty, unless keep() was called.
  ~NewDirectory();

  void keep() { made_.clear(); }

 private:
  NewDirectory() = default;
  std::vector<std::filesystem::path> made_;  // innermost first
};

}  // namespace caucus
