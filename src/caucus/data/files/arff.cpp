#include "caucus/data/files/arff.hpp"

#include <vector>

#include "caucus/data/files/arff_attribute.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

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

  Status wrong_count(std::size_t fields) const {
    return data_error(lines_.where(), "has " + std::to_string(fields) + " fields",
                      "expected " + std::to_string(attributes_.size()));
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
    if (k != attributes_.size()) return wrong_count(k);
    for (k = 0; k < attributes_.size(); ++k) CAUCUS_CHECK(assign(k, tokens_[k]));
    return Done{};
  }

  Status sparse_row(std::string_view rest) {
    if (!rest.ends_with('}')) {
      return data_error(lines_.where(), "has a sparse row without its end", "expected '}'");
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
    double plain = 0.0;  // numbers that parse need no text for `where`
    if (!attributes_[k].nominal && parse_number(token.text, plain) == NumberForm::finite) {
      values_[k] = plain;
      return Done{};
    }
    CAUCUS_TRY(values_[k], attributes_[k].number(token.text, token.quoted,
                                                 column_where(lines_.where(), k + 1)));
    return Done{};
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
