// The errors in the paper's Tables 3 and 4, and those of an independent implementation if there are
// any.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace caucus::reproduce {

struct Published {
  std::optional<double> paper = {};
  std::optional<double> reference = {};  ///< of the independent implementation
};

/// FOMD J = K, NCO J = K, FOMD J = 2, NCO J = 2.
using PublishedRow = std::array<Published, 4>;
const PublishedRow& published_table3(const std::string& data);

/// Returns nothing for an algorithm that the paper does not contain.
Published published_table4(const std::string& data, const std::string& algorithm);

}  // namespace caucus::reproduce
