// A file that appears complete or not at all: it is written under a temporary name in the same
// directory and renamed by commit(). Devices and pipes (/dev/stdout, /dev/null) are written
// directly.
#pragma once

#include <string>
#include <string_view>

#include "caucus/result.hpp"

namespace caucus {

/// `usual` gives a new file the mode that the umask allows and keeps the mode of a replaced file;
/// `owner` makes the file readable by its owner only.
enum class Readers { usual, owner };

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, Readers readers = Readers::usual);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the temporary file unless commit() succeeded.
  ~OutputFile();

  Status write(std::string_view bytes);
  /// Writes the buffer, and fails if the disk is full. Flush all of several files before the first
  /// commit.
  Status flush();
  /// Puts the file in place under its name. On an error nothing is changed.
  Status commit();

 private:
  OutputFile() = default;
  [[nodiscard]] Error failed(int code) const;
  void discard();

  std::string path_;       // as the user gave it, for messages
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty when writing directly
  std::string buffer_;
  int descriptor_ = -1;  // used for devices and pipes only; a temporary file is opened for each
                         // flush, so that thousands of files can be written at the same time
};

}  // namespace caucus
