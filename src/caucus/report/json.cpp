#include "caucus/report/json.hpp"

#include <algorithm>
#include <cmath>

namespace caucus::report {
namespace {

const Json& no_object() {
  static const Json empty = Json::object();
  return empty;
}

std::optional<double> number_or_unknown(const Json& value) {
  if (value.is_null()) return std::nan("");
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? number : std::nan("");  // not finite numbers are saved as null
}

}  // namespace

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

JsonReader::JsonReader(const Json& object, std::string where, std::optional<Error>& error)
    : object_(object), where_(std::move(where)), error_(error) {
  if (!object.is_object()) fail("", "is not an object");
}

const Json* JsonReader::member(const std::string& key) {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string JsonReader::text(const std::string& key) {
  const Json* value = member(key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  fail(key, "is not a text");
  return {};
}

double JsonReader::number(const std::string& key) {
  const Json* value = member(key);
  if (value == nullptr) return std::nan("");
  const auto number = number_or_unknown(*value);
  if (!number) fail(key, "is not a number");
  return number.value_or(std::nan(""));
}

std::vector<double> JsonReader::numbers(const std::string& key) {
  std::vector<double> numbers;
  const Json* values = list(key);
  if (values == nullptr) return numbers;
  numbers.reserve(values->size());
  for (const Json& value : *values) {
    const auto number = number_or_unknown(value);
    if (!number) {
      fail(key, "holds something that is not a number");
      break;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::string> JsonReader::texts(const std::string& key) {
  std::vector<std::string> texts;
  const Json* values = list(key);
  if (values == nullptr) return texts;
  for (const Json& value : *values) {
    if (!value.is_string()) {
      fail(key, "holds something that is not a text");
      break;
    }
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::vector<std::vector<double>> JsonReader::rows_of_numbers(const std::string& key) {
  std::vector<std::vector<double>> rows;
  const Json* values = list(key);
  if (values == nullptr) return rows;
  for (const Json& value : *values) {
    auto& row = rows.emplace_back();
    if (!value.is_array()) fail(key, "holds something that is not a list of numbers");
    if (failed()) break;
    for (const Json& element : value) {
      const auto number = number_or_unknown(element);
      if (!number) fail(key, "holds something that is not a number");
      row.push_back(number.value_or(std::nan("")));
    }
  }
  return rows;
}

const Json* JsonReader::list(const std::string& key) {
  const Json* value = member(key);
  if (value == nullptr || value->is_array()) return value;
  fail(key, "is not a list");
  return nullptr;
}

JsonReader JsonReader::object(const std::string& key) {
  const Json* value = member(key);
  return {value == nullptr ? no_object() : *value, path(key), error_};
}

JsonReader JsonReader::element(const std::string& key, const Json& value, std::size_t index) {
  return {value, path(key) + "[" + std::to_string(index) + "]", error_};
}

void JsonReader::fail(const std::string& key, const std::string& what) {
  if (error_) return;
  const std::string where = path(key);
  error_ = data_error(where.empty() ? "result" : where, what,
                      "expected a result of caucus run or caucus reproduce");
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
