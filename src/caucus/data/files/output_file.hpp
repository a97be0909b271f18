// A file that appears complete or not at all: written under a temporary name in the same directory
// and renamed by commit(). Devices and pipes (/dev/stdout, /dev/null) are written directly.
#pragma once

#include <string>
#include <string_view>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// Who may read the file: whom the umask and the mode of the file replaced allow, or its owner
/// only.
enum class Readers { usual, owner };

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, Readers readers = Readers::usual);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Without a commit nothing remains.
  ~OutputFile();

  Status write(std::string_view bytes);
  /// Whether there was room for all so far: of several files, flush all before the first commit.
  Status flush();
  /// Everything written is in place under its name, or an error says why and nothing is.
  Status commit();

 private:
  OutputFile() = default;
  [[nodiscard]] Error failed(int code) const;
  void discard();

  std::string path_;       // as the user gave it, for messages
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty when writing directly
  std::string buffer_;
  int descriptor_ = -1;  // of a direct file only: a temporary one is opened per flush, so that
                         // thousands of files can be under way at once
};

}  // namespace caucus
