#include "caucus/data/files/arff_attribute.hpp"

#include <algorithm>
#include <vector>

#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

Result<std::vector<std::string>> parse_nominal_values(std::string_view rest,
                                                      const std::string& where) {
  std::vector<std::string> values;
  rest.remove_prefix(1);  // the brace
  for (;;) {
    CAUCUS_TRY(ArffToken token, take_arff_token(rest, ",}", where));
    rest = trim(rest);
    if (rest.empty() || (rest[0] != ',' && rest[0] != '}')) {
      return data_error(where, "has a list of values without its end", "expected {a, b, ...}");
    }
    if (!token.text.empty() || token.quoted) values.push_back(std::move(token.text));
    const bool last = rest[0] == '}';
    rest.remove_prefix(1);
    if (last) break;
  }
  if (values.empty()) return data_error(where, "has no values", "expected {a, b, ...}");
  return values;
}

void number_values(const std::vector<std::string>& texts, ArffAttribute& attribute) {
  std::vector<double> numbers(texts.size());
  bool all_numbers = true;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    all_numbers = all_numbers && parse_number(texts[k], numbers[k]) == NumberForm::finite;
  }
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const double number = all_numbers ? numbers[k] : static_cast<double>(k);
    attribute.values.emplace(texts[k], number);
    if (k == 0) attribute.sparse_default = number;
  }
}

}  // namespace

Result<double> ArffAttribute::number(std::string_view text, bool is_quoted,
                                     const std::string& where) const {
  if (text == "?" && !is_quoted) {
    return data_error(where, "is missing ('?')", "expected a value");
  }
  double value = 0.0;
  if (nominal) {
    const auto found = values.find(std::string(text));
    if (found != values.end()) return found->second;
    return data_error(where, in_quotes(text) + " is not a value of " + in_quotes(name),
                      "expected one of its " + std::to_string(values.size()) + " declared values");
  }
  const NumberForm form = parse_number(text, value);
  if (form != NumberForm::finite) return number_error(where, form, text);
  return value;
}

Result<ArffToken> take_arff_token(std::string_view& rest, std::string_view stops,
                                  const std::string& where) {
  rest = trim(rest);
  ArffToken token;
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) {
    std::size_t length = 0;
    while (length < rest.size() && rest[length] != ' ' && rest[length] != '\t' &&
           stops.find(rest[length]) == std::string_view::npos) {
      ++length;
    }
    token.text = rest.substr(0, length);
    rest.remove_prefix(length);
    return token;
  }
  token.quoted = true;
  const char quote = rest[0];
  for (std::size_t k = 1; k < rest.size(); ++k) {
    if (rest[k] == quote) {
      rest.remove_prefix(k + 1);
      return token;
    }
    if (rest[k] == '\\' && k + 1 < rest.size()) ++k;
    token.text += rest[k];
  }
  return data_error(where, "has a quote without its end", "expected a name on one line");
}

Result<ArffAttribute> parse_arff_attribute(std::string_view declaration, const std::string& where) {
  CAUCUS_TRY(const ArffToken name, take_arff_token(declaration, "{", where));
  ArffAttribute attribute;
  attribute.name = name.text;
  declaration = trim(declaration);
  if (declaration.starts_with('{')) {
    attribute.nominal = true;
    CAUCUS_TRY(const auto values, parse_nominal_values(declaration, where));
    number_values(values, attribute);
    return attribute;
  }
  CAUCUS_TRY(const ArffToken type, take_arff_token(declaration, "", where));
  const std::string kind = lower_case(type.text);
  if (kind == "numeric" || kind == "real" || kind == "integer") return attribute;
  return data_error(
      where, "attribute " + in_quotes(attribute.name) + " has the type " + in_quotes(type.text),
      "expected numeric, real, integer or a list of values");
}

}  // namespace caucus
