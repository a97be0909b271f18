// Files and directories that appear complete or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

/// `usual` gives a new file the mode that the umask allows and keeps the mode of a replaced file;
/// `owner` makes the file readable by its owner only.
enum class Readers { usual, owner };

/// A file that is written under a temporary name in the same directory and renamed by commit().
/// Devices and pipes (/dev/stdout, /dev/null) are written directly.
/// Removes the temporary files and the new directories of all objects below, for a process that is
/// about to end without destroying them. Any thread may call it.
void remove_unfinished_files();

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, Readers readers = Readers::usual);

  Status write(std::string_view bytes);
  /// Writes the buffer, and fails if the disk is full. Flush all of several files before the first
  /// commit.
  Status flush();
  /// Puts the file in place under its name. On an error nothing is changed.
  Status commit();

 private:
  struct State;
  /// Removes the temporary file unless commit() succeeded.
  struct Discard {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Discard> state_;
};

/// A directory that is created with its missing parents, and removed again unless keep() is called.
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

  void keep();

 private:
  NewDirectory() = default;
  std::vector<std::filesystem::path> made_;  // innermost first
};

}  // namespace caucus
