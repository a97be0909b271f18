#include "caucus/simulation/labels.hpp"

#include <string>

#include "caucus/core/base/text.hpp"

namespace caucus {

Result<LabelConvention> apply_label_convention(Dataset& data) {
  bool zero = false;
  bool minus = false;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const float y = data.y(row);
    zero = zero || y == 0.0F;
    minus = minus || y == -1.0F;
    if ((y != 0.0F && y != 1.0F && y != -1.0F) || (zero && minus)) {
      return data_error(data.name() + ": data row " + std::to_string(row + 1),
                        "the label is " + to_text(static_cast<double>(y)),
                        "logistic and hinge need labels {0, 1} or {-1, 1}, the same throughout");
    }
  }
  for (std::size_t row = 0; zero && row < data.rows(); ++row) {
    if (data.y(row) == 0.0F) data.set_y(row, -1.0F);
  }
  return zero ? LabelConvention::zero_one : LabelConvention::minus_plus;
}

}  // namespace caucus
