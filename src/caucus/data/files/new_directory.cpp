#include "caucus/data/files/new_directory.hpp"

#include <system_error>

namespace caucus {

Result<NewDirectory> NewDirectory::make(const std::string& path) {
  std::error_code code;
  NewDirectory directory;
  for (std::filesystem::path each = path;
       !each.empty() && !std::filesystem::exists(each, code) && each != each.root_path();
       each = each.parent_path()) {
    directory.made_.push_back(each);
  }
  std::filesystem::create_directories(path, code);
  if (code || !std::filesystem::is_directory(path, code)) {
    return data_error(path, "is not a directory and cannot be made",
                      "expected a directory to write to");
  }
  return directory;
}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  for (const auto& each : made_) std::filesystem::remove(each, ignored);
}

}  // namespace caucus
