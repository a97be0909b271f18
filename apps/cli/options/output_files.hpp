// The files that a command writes: refused before the work if they cannot be, and afterwards
// either all of them there or none.
#pragma once

#include <string>
#include <vector>

#include "caucus/data/files/output_file.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

/// One file to write; its text is filled in when the work is done.
struct Output {
  const char* flag;
  std::string path;
  std::string text = {};
  Readers readers = Readers::usual;
};

/// Before the work: paths that cannot be written, or would destroy something, cost nothing then.
Status check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

/// Writes all files, or none of them.
Status write_outputs(const std::vector<Output>& outputs);

}  // namespace caucus::cli
