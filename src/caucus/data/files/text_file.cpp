#include "caucus/data/files/text_file.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

namespace caucus {

Result<std::string> read_text(const std::string& path, ErrorKind kind, std::size_t most) {
  std::error_code code;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, code)) {
    return Error{kind, path, "cannot be read", "expected a readable file"};
  }
  std::string text;
  std::vector<char> block(1 << 16);
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most) {
      return Error{kind, path, "is too large",
                   "expected at most " + std::to_string(most) + " bytes"};
    }
  }
  if (file.bad()) return Error{kind, path, "cannot be read", "expected a readable file"};
  return text;
}

}  // namespace caucus
