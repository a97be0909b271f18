// The declaration part of an ARFF file: tokens and attributes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "caucus/core/base/result.hpp"

namespace caucus {

struct ArffAttribute {
  std::string name;
  bool nominal = false;
  std::unordered_map<std::string, double> values;  ///< of a nominal attribute
  double sparse_default = 0.0;

  /// The number that `text` stands for. `where` names file, line and column.
  [[nodiscard]] Result<double> number(std::string_view text, bool quoted,
                                      const std::string& where) const;
};

struct ArffToken {
  std::string text;
  bool quoted = false;
};

/// Takes one token off the front of `rest`: quoted by ' or " with backslash escapes, or up to the
/// next blank or any of `stops`. An empty unquoted token means there was none.
Result<ArffToken> take_arff_token(std::string_view& rest, std::string_view stops,
                                  const std::string& where);

/// Parses what follows the word @attribute.
Result<ArffAttribute> parse_arff_attribute(std::string_view declaration, const std::string& where);

}  // namespace caucus
