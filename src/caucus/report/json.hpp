// Writes JSON, and reads members of a JSON object by type. The first member of a wrong type becomes
// the reader's error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus::report {

using Json = nlohmann::ordered_json;

/// Returns the text with `indent` spaces per level, or on one line if `indent` is -1. Bytes that
/// are not UTF-8, which file names may contain, are replaced.
std::string json_text(const Json& json, int indent = 1);

/// Parses the text as JSON. An error names the line and byte of the first mistake.
Result<Json> parse_json(const std::string& text, const std::string& name,
                        const std::string& expected);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

struct JsonRules {
  const char* expected = "expected a result of caucus run or caucus reproduce";
  bool all_required = false;  ///< otherwise an absent or null member reads as unknown
};

class JsonReader {
 public:
  /// `where` is the path of the object, as in "results[0].curve"; empty for the root.
  JsonReader(const Json& object, std::string where, std::optional<Error>& error,
             JsonRules rules = {});

  /// Returns null if there is no such member, or if it is null.
  const Json* member(const std::string& key);
  std::string text(const std::string& key);
  double number(const std::string& key);
  bool flag(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::vector<double>> rows_of_numbers(const std::string& key);
  /// Returns null if there is no such list.
  const Json* list(const std::string& key);
  /// Reads an empty object if there is no such member.
  JsonReader object(const std::string& key);
  JsonReader element(const std::string& key, const Json& value, std::size_t index);
  /// Calls `read` with a reader of each element of a list and its index, up to the first error.
  template <class Read>
  void for_each(const std::string& key, const Read& read) {
    const Json* values = list(key);
    for (std::size_t i = 0; values != nullptr && i < values->size() && !failed(); ++i) {
      read(element(key, (*values)[i], i), i);
    }
  }

  void fail(const std::string& key, const std::string& what);
  /// Fails unless the list has the given number of elements, or none if that is allowed.
  void expect_size(const std::string& key, std::size_t size, std::size_t expected,
                   bool may_be_empty = true);
  [[nodiscard]] bool failed() const { return error_.has_value(); }

 private:
  [[nodiscard]] std::string path(const std::string& key) const;
  const Json* typed(const std::string& key, bool (Json::*is_type)() const, const char* type);
  std::vector<double> numbers_in(const std::string& key, const Json& list);

  const Json& object_;
  std::string where_;
  std::optional<Error>& error_;
  JsonRules rules_;
};

}  // namespace caucus::report
