// Class labels: files contain {0, 1} or {-1, 1}; the losses need {-1, 1}.
#pragma once

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"

namespace caucus {

enum class LabelConvention { none, zero_one, minus_plus };

/// Converts the targets to -1 and 1 and returns the convention of the file. Any other value is an
/// error that names its row.
Result<LabelConvention> apply_label_convention(Dataset& data);

}  // namespace caucus
