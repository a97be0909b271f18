// Answers questions about the rows of a data set with a program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/data/encoding/row_texts.hpp"
#include "caucus/experts.hpp"
#include "caucus/loss.hpp"
#include "caucus/space.hpp"
#include "experts/expert_command.hpp"

namespace caucus::cli {

class RowExperts {
 public:
  /// Starts the program for rows that were read from these files in this way; the data set must
  /// outlive it.
  static Result<std::unique_ptr<RowExperts>> start(ExpertProgram program,
                                                   const std::vector<std::string>& paths,
                                                   const ReadOptions& options, const Dataset& data,
                                                   const Loss& loss);

  /// Answers in the units of the data set. The example of the question is the number of a row.
  Status answer(const ExpertQuestion& question, std::span<float> forecasts);

 private:
  RowExperts(RowTexts texts, const Dataset& data, const Loss& loss, bool clips)
      : texts_(std::move(texts)), data_(&data), loss_(loss), clips_(clips) {}

  RowTexts texts_;
  const Dataset* data_;
  Loss loss_;
  bool clips_;  ///< the range of the target is given
  std::unique_ptr<ExpertCommand> command_;
};

/// Returns the names of the experts among the spaces, in the order of their numbers.
std::vector<std::string> expert_names(const std::vector<Space>& spaces);

}  // namespace caucus::cli
