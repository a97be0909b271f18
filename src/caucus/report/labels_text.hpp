// Class labels in the user's convention.
#pragma once

#include <string>

#include "caucus/simulation/labels.hpp"

namespace caucus::report {

/// Returns the label in the user's convention for a score or a class -1, 1.
inline double written_label(double score, LabelConvention convention) {
  if (score > 0.0) return 1.0;
  return convention == LabelConvention::zero_one ? 0.0 : -1.0;
}

}  // namespace caucus::report
