// Helpers that the entries of the lists of settings are built from.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/result.hpp"
#include "options/settings.hpp"

namespace caucus::cli {

inline Json number(double value) { return std::isinf(value) ? Json("inf") : Json(value); }

inline Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json interval(const std::optional<Interval>& value) {
  return value ? Json::array({value->first, value->second}) : Json(nullptr);
}

inline Json text(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

/// set: parse, then store into the member.
template <class Target, class Member, class Parse>
auto store(Member Target::*member, Parse parse) {
  return [member, parse](Target& target, const std::string& value) -> Status {
    CAUCUS_TRY(auto parsed, parse(value));
    target.*member = std::move(parsed);
    return Done{};
  };
}

inline Result<std::string> as_text(const std::string& value) {
  if (value.empty()) return usage_error("", "it is empty", "expected a text");
  return value;
}

}  // namespace caucus::cli
