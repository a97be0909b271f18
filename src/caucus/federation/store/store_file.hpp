// The file of a store: how it is created, locked, recognised and checked.
#pragma once

#include <string>
#include <utility>

#include "caucus/federation/store/sqlite.hpp"
#include "caucus/result.hpp"

namespace caucus {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int number() const { return number_; }  ///< negative if opening it failed

 private:
  int number_;
};

/// Returns the absolute path without links, so that a store has one name.
Result<std::string> store_path(const std::string& path);

/// Returns whether it is missing, or empty as after `mktemp`.
bool is_new_store(const std::string& path);

/// Locks out other servers by a lock on a file beside the store, which does not lock out readers.
/// The system releases the lock when the descriptor is closed or the process ends.
Result<FileDescriptor> lock_store(const std::string& path);

/// Creates a store without a run, completely or not at all.
Status create_store_file(const std::string& path);

/// Opens a store for writing. The caller holds the lock.
Result<Database> open_store_file(const std::string& path);

/// Opens a store in its present state; later changes by a server are not seen.
Result<Database> open_store_file_for_reading(const std::string& path);

/// Refuses another program's file and another version of the tables. Changes nothing.
Status recognise_store(Database& database);

}  // namespace caucus
