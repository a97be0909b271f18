// The errors of the paper's Tables 3 and 4, with those of an independent implementation where there
// are any.
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

/// Nothing for an algorithm that the paper left out.
Published published_table4(const std::string& data, const std::string& algorithm);

}  // namespace caucus::reproduce
