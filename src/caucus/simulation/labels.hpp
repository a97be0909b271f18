// Class labels: people write {0, 1} or {-1, 1}; the losses want {-1, 1}.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/data/dataset.hpp"

namespace caucus {

enum class LabelConvention { none, zero_one, minus_plus };

/// Turns the targets into -1 and 1 and says how they were written; any other value is an error that
/// names its row.
Result<LabelConvention> apply_label_convention(Dataset& data);

}  // namespace caucus
