#include "caucus/data/table.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

struct ArffAttribute {
  std::string name;
  bool nominal = false;
  std::unordered_map<std::string, double> values;  ///< the values of a nominal attribute
  double sparse_default = 0.0;
};

struct ArffToken {
  std::string text;
  bool quoted = false;
};

/// Removes one token from the front of `rest`: a token quoted by ' or " with backslash escapes, or
/// the characters up to the next blank or any of `stops`. Returns an empty unquoted token if there
/// is none.
Result<ArffToken> take_arff_token(std::string_view& rest, std::string_view stops,
                                  const std::string& where) {
  rest = trim(rest);
  ArffToken token;
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) {
    const std::string ends = std::string(" \t").append(stops);
    const std::size_t length = std::min(rest.find_first_of(ends), rest.size());
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
  return data_error(where, "has an unclosed quote", "expected a name on one line");
}

Result<std::vector<std::string>> parse_nominal_values(std::string_view rest,
                                                      const std::string& where) {
  std::vector<std::string> values;
  rest.remove_prefix(1);  // the brace
  for (;;) {
    CAUCUS_TRY(ArffToken token, take_arff_token(rest, ",}", where));
    rest = trim(rest);
    if (rest.empty() || (rest[0] != ',' && rest[0] != '}')) {
      return data_error(where, "has an unclosed list of values", "expected {a, b, ...}");
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

/// Parses the text after the word @attribute.
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

class ArffReader {
 public:
  ArffReader(ByteSource& source, RowSink& sink)
      : name_(source.name()), lines_(source), sink_(sink) {}

  Status read() {
    CAUCUS_CHECK(declarations());
    TableHeader header{{}, attributes_.size()};
    for (const ArffAttribute& attribute : attributes_) header.names.push_back(attribute.name);
    CAUCUS_CHECK(sink_.header(header));
    values_.resize(attributes_.size());
    std::string_view line;
    for (bool any = false;; any = true) {
      CAUCUS_TRY(const bool more, next(line));
      if (!more && !any) return data_error(name_, "has no rows", "expected rows after @data");
      if (!more) return Done{};
      CAUCUS_CHECK(line.starts_with('{') ? sparse_row(line) : dense_row(line));
      CAUCUS_CHECK(sink_.row(values_, lines_.line_number()));
    }
  }

 private:
  Result<bool> next(std::string_view& line) {
    for (;;) {
      CAUCUS_TRY(const bool more, lines_.next(line));
      line = trim(line);
      if (!more || (!line.empty() && line[0] != '%')) return more;
    }
  }

  // Reads the declarations up to and including the line @data.
  Status declarations() {
    std::string_view line;
    for (;;) {
      CAUCUS_TRY(const bool more, next(line));
      if (!more) return data_error(name_, "has no @data", "expected an ARFF file");
      const std::size_t length = std::min(line.find_first_of(" \t"), line.size());
      const std::string keyword = lower_case(line.substr(0, length));
      line.remove_prefix(length);
      if (keyword == "@data") break;
      if (keyword == "@relation") continue;
      if (keyword != "@attribute") {
        return data_error(lines_.where(), in_quotes(keyword) + " is not a declaration",
                          "expected @relation, @attribute or @data");
      }
      CAUCUS_TRY(ArffAttribute attribute, parse_arff_attribute(line, lines_.where()));
      attributes_.push_back(std::move(attribute));
    }
    if (attributes_.empty()) {
      return data_error(lines_.where(), "comes before any @attribute", "expected attributes");
    }
    return Done{};
  }

  // Consumes a comma; returns false at the end of the row.
  Result<bool> comma(std::string_view& rest) const {
    rest = trim(rest);
    if (rest.empty()) return false;
    if (rest[0] != ',') {
      return data_error(lines_.where(), "has " + in_quotes(rest) + " after a value",
                        "expected a comma");
    }
    rest.remove_prefix(1);
    return true;
  }

  Status dense_row(std::string_view rest) {
    std::size_t k = 0;
    for (bool more = true; more; ++k) {
      CAUCUS_TRY(const ArffToken token, take_arff_token(rest, ",", lines_.where()));
      if (k < attributes_.size()) {
        tokens_.resize(attributes_.size());
        tokens_[k] = token;
      }
      CAUCUS_TRY(more, comma(rest));
    }
    if (k != attributes_.size()) {
      return data_error(lines_.where(), "has " + std::to_string(k) + " fields",
                        "expected " + std::to_string(attributes_.size()));
    }
    for (k = 0; k < attributes_.size(); ++k) CAUCUS_CHECK(assign(k, tokens_[k]));
    return Done{};
  }

  Status sparse_row(std::string_view rest) {
    if (!rest.ends_with('}')) {
      return data_error(lines_.where(), "has an unclosed sparse row", "expected '}'");
    }
    rest = trim(rest.substr(1, rest.size() - 2));
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = attributes_[k].sparse_default;
    std::size_t smallest = 0;
    for (bool more = !rest.empty(); more;) {
      CAUCUS_TRY(const ArffToken index, take_arff_token(rest, ",", lines_.where()));
      std::size_t k = 0;
      if (!parse_count(index.text, k) || k < smallest || k >= attributes_.size()) {
        return data_error(
            lines_.where(), "has the index " + in_quotes(index.text),
            "expected increasing numbers from 0 to " + std::to_string(attributes_.size() - 1));
      }
      CAUCUS_TRY(const ArffToken value, take_arff_token(rest, ",", lines_.where()));
      CAUCUS_CHECK(assign(k, value));
      smallest = k + 1;
      CAUCUS_TRY(more, comma(rest));
    }
    return Done{};
  }

  Status assign(std::size_t k, const ArffToken& token) {
    const ArffAttribute& attribute = attributes_[k];
    const auto where = [&] { return column_where(lines_.where(), k + 1); };
    if (token.text == "?" && !token.quoted) {
      return data_error(where(), "is missing ('?')", "expected a value");
    }
    if (attribute.nominal) {
      const auto found = attribute.values.find(token.text);
      if (found == attribute.values.end()) {
        return data_error(
            where(), in_quotes(token.text) + " is not a value of " + in_quotes(attribute.name),
            "expected one of its " + std::to_string(attribute.values.size()) + " declared values");
      }
      values_[k] = found->second;
      return Done{};
    }
    return read_number(token.text, values_[k], where);
  }

  std::string name_;
  LineReader lines_;
  RowSink& sink_;
  std::vector<ArffAttribute> attributes_;
  std::vector<ArffToken> tokens_;
  std::vector<double> values_;
};

}  // namespace

Status read_arff(ByteSource& source, RowSink& sink) { return ArffReader(source, sink).read(); }

}  // namespace caucus
