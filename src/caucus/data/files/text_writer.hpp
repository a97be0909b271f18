// Writes text to an OutputFile and compresses it if the name ends in .gz.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "caucus/data/files/output_file.hpp"
#include "caucus/result.hpp"

namespace caucus {

class TextWriter {
 public:
  static Result<TextWriter> create(const std::string& path);

  Status write(std::string_view text);
  Status commit();

 private:
  struct Deflate;
  struct End {
    void operator()(Deflate* deflate) const;
  };

  explicit TextWriter(OutputFile file) : file_(std::move(file)) {}
  Status compress(std::string_view text, int flush);

  OutputFile file_;
  std::unique_ptr<Deflate, End> deflate_;  // null for plain text
};

}  // namespace caucus
