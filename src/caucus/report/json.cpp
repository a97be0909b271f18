#include "caucus/report/json.hpp"

#include <algorithm>
#include <cmath>

namespace caucus::report {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<Json> parse_json(const std::string& text, const std::string& name,
                        const std::string& expected) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {  // its byte counts from 1 and may be one past the end
    const std::size_t before = std::min(text.size(), std::max<std::size_t>(error.byte, 1) - 1);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(before);
    const auto line = 1 + std::count(text.begin(), end, '\n');
    return data_error(name + ":" + std::to_string(line),
                      before == text.size() ? "ends before its JSON does"
                                            : "is not JSON at byte " + std::to_string(before + 1),
                      expected);
  } catch (const Json::out_of_range&) {
    return data_error(name, "has a number that no double can hold", expected);
  }
}

JsonReader::JsonReader(const Json& object, std::string where, std::optional<Error>& error,
                       JsonRules rules)
    : object_(object), where_(std::move(where)), error_(error), rules_(rules) {
  if (!object.is_object()) fail("", "is not an object");
}

const Json* JsonReader::member(const std::string& key) {
  const auto found = object_.find(key);
  if (found == object_.end() && rules_.all_required) fail(key, "is missing");
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

/// Returns the member if it has the type; fails if it has another, or if it is required and absent.
const Json* JsonReader::typed(const std::string& key, bool (Json::*is_type)() const,
                              const char* type) {
  const Json* value = member(key);
  if (value == nullptr ? !rules_.all_required : (value->*is_type)()) return value;
  fail(key, std::string("is not ") + type);
  return nullptr;
}

std::string JsonReader::text(const std::string& key) {
  const Json* value = typed(key, &Json::is_string, "a text");
  return value == nullptr ? "" : value->get<std::string>();
}

double JsonReader::number(const std::string& key) {
  const Json* value = typed(key, &Json::is_number, "a number");
  const double number = value == nullptr ? std::nan("") : value->get<double>();
  return std::isfinite(number) ? number : std::nan("");  // not finite numbers are saved as null
}

bool JsonReader::flag(const std::string& key) {
  const Json* value = typed(key, &Json::is_boolean, "true or false");
  return value != nullptr && value->get<bool>();
}

const Json* JsonReader::list(const std::string& key) {
  return typed(key, &Json::is_array, "a list");
}

std::vector<double> JsonReader::numbers_in(const std::string& key, const Json& list) {
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const Json& value : list) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!value.is_number() && (rules_.all_required || !value.is_null())) {
      fail(key, "holds something that is not a number");
      break;
    }
    numbers.push_back(std::isfinite(number) ? number : std::nan(""));
  }
  return numbers;
}

std::vector<double> JsonReader::numbers(const std::string& key) {
  const Json* values = list(key);
  return values == nullptr ? std::vector<double>() : numbers_in(key, *values);
}

std::vector<std::string> JsonReader::texts(const std::string& key) {
  const Json* values = list(key);
  if (values == nullptr) return {};
  if (std::all_of(values->begin(), values->end(), [](const Json& v) { return v.is_string(); })) {
    return values->get<std::vector<std::string>>();
  }
  fail(key, "holds something that is not a text");
  return {};
}

std::vector<std::vector<double>> JsonReader::rows_of_numbers(const std::string& key) {
  std::vector<std::vector<double>> rows;
  const Json* values = list(key);
  for (std::size_t i = 0; values != nullptr && i < values->size() && !failed(); ++i) {
    if (!(*values)[i].is_array()) fail(key, "holds something that is not a list of numbers");
    rows.push_back(numbers_in(key, (*values)[i]));
  }
  return rows;
}

JsonReader JsonReader::object(const std::string& key) {
  static const Json empty = Json::object();
  const Json* value = member(key);
  return {value == nullptr ? empty : *value, path(key), error_, rules_};
}

JsonReader JsonReader::element(const std::string& key, const Json& value, std::size_t index) {
  return {value, path(key) + "[" + std::to_string(index) + "]", error_, rules_};
}

void JsonReader::fail(const std::string& key, const std::string& what) {
  if (error_) return;
  const std::string where = path(key);
  error_ = data_error(where.empty() ? "result" : where, what, rules_.expected);
}

void JsonReader::expect_size(const std::string& key, std::size_t size, std::size_t expected,
                             bool may_be_empty) {
  if (size == expected || (may_be_empty && size == 0)) return;
  fail(key,
       "has " + std::to_string(size) + " elements where " + std::to_string(expected) + " belong");
}

std::string JsonReader::path(const std::string& key) const {
  if (where_.empty() || key.empty()) return where_ + key;
  return where_ + "." + key;
}

}  // namespace caucus::report
