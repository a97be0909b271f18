#include "options/output_files.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace caucus::cli {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code code;
  const auto real = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, code), code).string();
  };
  return !a.empty() && !b.empty() && (a == b || real(a) == real(b)) && !a.starts_with("/dev/");
}

}  // namespace

Status check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, path, text, readers] = outputs[i];
    if (path == "-") return usage_error(flag, "'-'", "expected the name of a file");
    for (const std::string& input : inputs) {
      if (same_file(path, input)) {
        return usage_error(flag, "'" + path + "' is read by this run", "expected another file");
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (same_file(path, outputs[k].path)) {
        return usage_error(flag, "'" + path + "' is also that of " + outputs[k].flag,
                           "expected different files");
      }
    }
    CAUCUS_TRY(const OutputFile probe, OutputFile::create(path));  // gone again at once
  }
  return Done{};
}

Status write_outputs(const std::vector<Output>& outputs) {
  std::vector<OutputFile> files;
  for (const Output& output : outputs) {
    CAUCUS_TRY(OutputFile file, OutputFile::create(output.path, output.readers));
    CAUCUS_CHECK(file.write(output.text));
    CAUCUS_CHECK(file.flush());
    files.push_back(std::move(file));
  }
  for (OutputFile& file : files) CAUCUS_CHECK(file.commit());
  return Done{};
}

}  // namespace caucus::cli
