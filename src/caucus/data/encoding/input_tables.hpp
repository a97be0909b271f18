// Opens the files of a table, some of which can be read only once: standard input and pipes.
#pragma once

#include <map>
#include <string>

#include "caucus/data/files/byte_source.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct InputTable {
  ByteSource* source;  ///< valid until the next table is opened
  TableFormat format;
  std::string name;
};

class InputTables {
 public:
  /// Opens a file at its beginning, also one that was opened before; "-" is standard input.
  Result<InputTable> open(const std::string& path);

 private:
  std::map<std::string, ByteSource> streams_;  ///< which are not opened a second time
  std::map<std::string, ByteSource> current_;  ///< one file
};

}  // namespace caucus
