// The files that a command writes. They are checked before the work begins, and afterwards all of
// them are written or none. Also the results that `run`, `serve` and `reproduce` write.
#pragma once

#include <string>
#include <vector>

#include "caucus/data/files/output_file.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/result.hpp"

namespace CLI {
class App;
}

namespace caucus::cli {

/// A file to write; its text is set when the work is done.
struct Output {
  const char* flag;
  std::string path;
  std::string text = {};
  Readers readers = Readers::usual;
};

/// Refuses paths that cannot be written, that are inputs or that are given twice. Call it before
/// the work, so that no work is lost.
Status check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs);

/// Writes all files, or none of them.
Status write_outputs(const std::vector<Output>& outputs);

/// Writes a file, or to standard output if the path is "-".
Status write_text(const std::string& path, const std::string& text);

/// Says on standard error how good an exported model is.
void say_scores(const report::StoredModel& model);

inline constexpr const char* kPrintConfigHelp =
    "print the complete configuration, itself a valid file, and exit";

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
