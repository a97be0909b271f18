// JSON as text, and members of a JSON object by kind. An absent or null member reads as unknown;
// the first member of the wrong kind becomes the reader's error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus::report {

using Json = nlohmann::ordered_json;

/// The text with `indent` spaces per level, or on one line if `indent` is -1. Bytes that are not
/// UTF-8 (a file name may hold any) are replaced.
std::string json_text(const Json& json, int indent = 1);

/// The whole text as JSON; the error names the line and byte where it stops being that.
Result<Json> parse_json(const std::string& text, const std::string& name,
                        const std::string& expected);

class JsonReader {
 public:
  /// `where` leads to the object, as in "results[0].curve"; empty for the whole.
  JsonReader(const Json& object, std::string where, std::optional<Error>& error);

  /// Null where there is none.
  const Json* member(const std::string& key);
  std::string text(const std::string& key);
  double number(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::vector<double>> rows_of_numbers(const std::string& key);
  /// Null where there is none.
  const Json* list(const std::string& key);
  /// An empty object where there is none.
  JsonReader object(const std::string& key);
  JsonReader element(const std::string& key, const Json& value, std::size_t index);

  void fail(const std::string& key, const std::string& what);
  /// Fails unless the list has so many elements, or none where that is allowed.
  void expect_size(const std::string& key, std::size_t size, std::size_t expected,
                   bool may_be_empty = true);
  [[nodiscard]] bool failed() const { return error_.has_value(); }

 private:
  [[nodiscard]] std::string path(const std::string& key) const;

  const Json& object_;
  std::string where_;
  std::optional<Error>& error_;
};

}  // namespace caucus::report
