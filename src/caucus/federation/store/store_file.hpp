// The file of a store: how it is made, recognised, checked and brought to the present version.
#pragma once

#include <span>
#include <string>

#include "caucus/federation/store/sqlite.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Step i takes a store from version i to version i + 1. Released steps never change.
std::span<const char* const> store_steps();

/// The absolute path behind links, so that all names of a store are one.
Result<std::string> store_path(const std::string& path);

/// Whether it is missing, or empty as after `mktemp`.
bool is_new_store(const std::string& path);

/// Makes a store without a run. It appears complete or not at all.
Status create_store_file(const std::string& path);

/// Opens what create_store_file made, migrated and ready to be written. Under the lock.
Result<Database> open_store_file(const std::string& path);

/// Opens it as it is at this moment; what a server writes later is not seen.
Result<Database> open_store_file_for_reading(const std::string& path);

/// Refuses another program's file and a version above steps.size(). Changes nothing.
Status recognise_store(Database& database, std::span<const char* const> steps);

/// Runs the steps that are missing, all or none.
Status migrate_store(Database& database, std::span<const char* const> steps);

}  // namespace caucus
