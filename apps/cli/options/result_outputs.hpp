// The results that `run`, `serve` and `reproduce` write: the same flags, files and texts for all.
#pragma once

#include <string>
#include <vector>

#include "caucus/report/finished_run.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/result.hpp"
#include "options/output_files.hpp"

namespace CLI {
class App;
}

namespace caucus::cli {

struct ResultFlags {
  std::string json, report, model_out, predictions;  ///< empty if they are not asked for
};

/// Declares --json, --report and --model-out.
void add_result_flags(CLI::App& command, ResultFlags& flags, const char* model_help);

class ResultOutputs {
 public:
  explicit ResultOutputs(const ResultFlags& flags);

  /// Refuses, before the work, files that cannot be written or that the command reads.
  [[nodiscard]] Status check(const std::vector<std::string>& inputs) const;
  /// Makes the texts; `table` is shown unless the JSON goes to standard output.
  Status fill(const report::Json& result, const std::string& table);
  Status fill(const report::FinishedRun& run, const report::StoredModel& model);
  /// Writes all files or none, then prints.
  [[nodiscard]] Status write() const;

 private:
  bool prints_json_;
  std::vector<Output> outputs_;
  std::string printed_;
};

}  // namespace caucus::cli
