// The file of a store: how it is created, locked, recognised, checked and migrated.
#pragma once

#include <span>
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

/// Step i takes a store from version i to version i + 1. Released steps never change.
std::span<const char* const> store_steps();

/// Returns the absolute path without links, so that a store has one name.
Result<std::string> store_path(const std::string& path);

/// Returns whether it is missing, or empty as after `mktemp`.
bool is_new_store(const std::string& path);

/// Locks out other servers by a lock on a file beside the store, which does not lock out readers.
/// The system releases the lock when the descriptor is closed or the process ends.
Result<FileDescriptor> lock_store(const std::string& path);

/// Creates a store without a run, completely or not at all.
Status create_store_file(const std::string& path);

/// Opens a store for writing, after migrating it if necessary. The caller holds the lock.
Result<Database> open_store_file(const std::string& path);

/// Opens a store in its present state; later changes by a server are not seen.
Result<Database> open_store_file_for_reading(const std::string& path);

/// Refuses another program's file and a version above steps.size(). Changes nothing.
Status recognise_store(Database& database, std::span<const char* const> steps);

/// Runs the missing steps, all or none.
Status migrate_store(Database& database, std::span<const char* const> steps);

}  // namespace caucus
