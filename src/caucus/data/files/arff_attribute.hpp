// The declaration part of an ARFF file: tokens and attributes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "caucus/result.hpp"

namespace caucus {

struct ArffAttribute {
  std::string name;
  bool nominal = false;
  std::unordered_map<std::string, double> values;  ///< the values of a nominal attribute
  double sparse_default = 0.0;

  /// Returns the number for `text`. `where` names file, line and column for messages.
  [[nodiscard]] Result<double> number(std::string_view text, bool quoted,
                                      const std::string& where) const;
};

struct ArffToken {
  std::string text;
  bool quoted = false;
};

/// Removes one token from the front of `rest`: a token quoted by ' or " with backslash escapes, or
/// the characters up to the next blank or any of `stops`. Returns an empty unquoted token if there
/// is none.
Result<ArffToken> take_arff_token(std::string_view& rest, std::string_view stops,
                                  const std::string& where);

/// Parses the text after the word @attribute.
Result<ArffAttribute> parse_arff_attribute(std::string_view declaration, const std::string& where);

}  // namespace caucus
