#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "caucus/data/files/cells.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

struct ArffAttribute {
  std::string name;
  DeclaredColumn declared;
  std::unordered_set<std::string> levels;  ///< the values of a nominal attribute

  /// What a sparse row means that does not list the attribute.
  [[nodiscard]] std::string_view sparse_default() const {
    return declared.levels.empty() ? "0" : std::string_view(declared.levels.front());
  }
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

/// Parses the text after the word @attribute.
Result<ArffAttribute> parse_arff_attribute(std::string_view declaration, const std::string& where) {
  using Declared = DeclaredColumn::Type;
  CAUCUS_TRY(const ArffToken name, take_arff_token(declaration, "{", where));
  ArffAttribute attribute;
  attribute.name = name.text;
  declaration = trim(declaration);
  if (declaration.starts_with('{')) {
    attribute.declared.type = Declared::category;
    CAUCUS_TRY(attribute.declared.levels, parse_nominal_values(declaration, where));
    attribute.levels.insert(attribute.declared.levels.begin(), attribute.declared.levels.end());
    return attribute;
  }
  CAUCUS_TRY(const ArffToken type, take_arff_token(declaration, "", where));
  const std::string kind = lower_case(type.text);
  if (kind == "numeric" || kind == "real" || kind == "integer") {
    attribute.declared.type = Declared::number;
  } else if (kind == "string") {
    attribute.declared.type = Declared::text;
  } else if (kind == "date") {
    attribute.declared.type = Declared::time;
  } else {
    return data_error(
        where, "attribute " + in_quotes(attribute.name) + " has the type " + in_quotes(type.text),
        "expected numeric, real, integer, string, date or a list of values");
  }
  return attribute;
}

class ArffReader {
 public:
  ArffReader(ByteSource& source, CellSink& sink)
      : name_(source.name()), lines_(source), sink_(sink) {}

  Status read() {
    CAUCUS_CHECK(declarations());
    CellHeader header;
    header.columns = attributes_.size();
    for (const ArffAttribute& attribute : attributes_) {
      header.names.push_back(attribute.name);
      header.declared.push_back(attribute.declared);
    }
    CAUCUS_CHECK(sink_.header(header));
    tokens_.resize(attributes_.size());
    std::string_view line;
    for (bool any = false;; any = true) {
      CAUCUS_TRY(const bool more, next(line));
      if (!more && !any) return data_error(name_, "has no rows", "expected rows after @data");
      if (!more) return Done{};
      CAUCUS_TRY(const bool whole, line.starts_with('{') ? sparse_row(line) : dense_row(line));
      if (!whole) continue;
      cells_.clear();
      for (const ArffToken& token : tokens_) cells_.emplace_back(token.text);
      CAUCUS_CHECK(sink_.row(cells_, lines_.line_number()));
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

  /// Fills the tokens; returns false if the row has another number of fields, which the sink
  /// allows.
  Result<bool> dense_row(std::string_view rest) {
    std::size_t k = 0;
    for (bool more = true; more; ++k) {
      if (k == attributes_.size() && trim(rest).empty()) break;  // a comma at the end
      CAUCUS_TRY(ArffToken token, take_arff_token(rest, ",", lines_.where()));
      if (k < attributes_.size()) tokens_[k] = std::move(token);
      CAUCUS_TRY(more, comma(rest));
    }
    if (k != attributes_.size()) {
      CAUCUS_CHECK(sink_.ragged(data_error(lines_.where(), "has " + std::to_string(k) + " fields",
                                           "expected " + std::to_string(attributes_.size()))));
      return false;
    }
    for (k = 0; k < attributes_.size(); ++k) CAUCUS_CHECK(check(k));
    return true;
  }

  Result<bool> sparse_row(std::string_view rest) {
    if (!rest.ends_with('}')) {
      return data_error(lines_.where(), "has an unclosed sparse row", "expected '}'");
    }
    rest = trim(rest.substr(1, rest.size() - 2));
    for (std::size_t k = 0; k < attributes_.size(); ++k) {
      tokens_[k].text = attributes_[k].sparse_default();
    }
    std::size_t smallest = 0;
    for (bool more = !rest.empty(); more;) {
      CAUCUS_TRY(const ArffToken index, take_arff_token(rest, ",", lines_.where()));
      std::size_t k = 0;
      if (!parse_count(index.text, k) || k < smallest || k >= attributes_.size()) {
        return data_error(
            lines_.where(), "has the index " + in_quotes(index.text),
            "expected increasing numbers from 0 to " + std::to_string(attributes_.size() - 1));
      }
      CAUCUS_TRY(tokens_[k], take_arff_token(rest, ",", lines_.where()));
      CAUCUS_CHECK(check(k));
      smallest = k + 1;
      CAUCUS_TRY(more, comma(rest));
    }
    return true;
  }

  /// Refuses a value that a nominal attribute does not have.
  [[nodiscard]] Status check(std::size_t k) const {
    const ArffAttribute& attribute = attributes_[k];
    const ArffToken& token = tokens_[k];
    if (attribute.levels.empty() || attribute.levels.contains(token.text)) return Done{};
    if (is_missing(token.text)) return Done{};
    return data_error(
        column_where(lines_.where(), k + 1),
        in_quotes(token.text) + " is not a value of " + in_quotes(attribute.name),
        "expected one of its " + std::to_string(attribute.levels.size()) + " declared values");
  }

  std::string name_;
  LineReader lines_;
  CellSink& sink_;
  std::vector<ArffAttribute> attributes_;
  std::vector<ArffToken> tokens_;  ///< of the row
  std::vector<std::string_view> cells_;
};

}  // namespace

Status read_arff_cells(ByteSource& source, CellSink& sink) {
  return ArffReader(source, sink).read();
}

}  // namespace caucus
