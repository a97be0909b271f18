// The rows of the lists of settings. A setting is read and printed according to its type, unless
// its row says otherwise.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"
#include "options/settings.hpp"
#include "options/values.hpp"

namespace caucus::cli {

inline const auto& words_of(SpaceKind) { return report::kSpaceKinds; }
inline const auto& words_of(Constraint) { return report::kConstraints; }
inline const auto& words_of(ScheduleKind) { return report::kSchedules; }
inline const auto& words_of(Horizon) { return report::kHorizons; }
inline const auto& words_of(Robust) { return report::kRobust; }
inline const auto& words_of(Mode) { return report::kModes; }
inline const auto& words_of(Impute) { return report::kImputes; }

// How values are printed; null is not printed.
inline Json json_of(bool value) { return value; }
inline Json json_of(double value) { return std::isinf(value) ? Json("inf") : Json(value); }
inline Json json_of(const std::string& value) {
  return value.empty() ? Json(nullptr) : Json(value);
}
inline Json json_of(const Loss& value) { return value.name(); }
inline Json json_of(const Interval& value) { return Json::array({value.first, value.second}); }
Json json_of(std::unsigned_integral auto value) {  // TOML's integers have a sign
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return value <= kMost ? Json(value) : Json(std::to_string(value));
}
template <class Enum>
requires std::is_enum_v<Enum> Json json_of(Enum value) {
  return report::word_of(words_of(value), value);
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json list;
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

// How values are read.
template <class T>
struct As {};
inline auto parse(As<bool>, const std::string& value) { return parse_switch(value); }
inline auto parse(As<double>, const std::string& value) { return parse_number(value); }
inline auto parse(As<std::uint64_t>, const std::string& value) { return parse_count(value); }
inline auto parse(As<Interval>, const std::string& value) { return parse_interval(value); }
inline auto parse(As<std::vector<double>>, const std::string& value) {
  return parse_numbers(value);
}
inline auto parse(As<Loss>, const std::string& value) { return parse_loss(value); }
inline Result<std::string> parse(As<std::string>, const std::string& value) {
  if (value.empty()) return usage_error("", "it is empty", "expected a text");
  return value;
}
template <class Enum>
requires std::is_enum_v<Enum> Result<Enum> parse(As<Enum>, const std::string& value) {
  const auto& words = words_of(Enum{});
  if (const auto meaning = report::meaning_of(words, value)) return *meaning;
  std::string list;
  for (const auto& [word, meaning] : words) list += (list.empty() ? "expected " : ", ") + word;
  return not_valid(value, list);
}
template <class T>
auto parse(As<std::optional<T>>, const std::string& value) {
  return parse(As<T>(), value);
}
template <class Count, std::uint64_t least, std::uint64_t most>
Result<Count> parse_within(const std::string& value) {
  CAUCUS_TRY(const std::uint64_t count, parse_count(value));
  if (count >= least && count <= most) return static_cast<Count>(count);
  return not_valid(value, "expected " + std::to_string(least) + " to " + report::grouped(most));
}

// Words that a value can be.
template <class T>
std::vector<std::string> value_words(As<T>, const std::string& value_name) {
  if constexpr (std::is_enum_v<T>) {
    std::vector<std::string> list;
    for (const auto& [word, meaning] : words_of(T{})) list.push_back(word);
    return list;
  } else {
    return words_of_value_name(value_name);
  }
}
template <class T>
std::vector<std::string> value_words(As<std::optional<T>>, const std::string& value_name) {
  return value_words(As<T>(), value_name);
}
inline std::vector<std::string> value_words(As<Loss>, const std::string&) {
  return {"square", "absolute", "huber", "logistic", "hinge", "pinball", "linear"};
}

/// The names of a setting. "name --algorithm algorithms" are a key, a flag and a field of the
/// library; "sample sample_size" and "file --data" leave one out, which then follows from the key.
struct SettingNames {
  std::string key, flag, field;

  explicit SettingNames(const std::string& names) {
    for (const std::string& word : split(names, ' ')) {
      (key.empty() ? key : word.starts_with("--") ? flag : field) = word;
    }
    if (field.empty()) field = key;
    if (!flag.empty()) return;
    flag = "--" + key;
    std::replace(flag.begin(), flag.end(), '_', '-');
  }
};

/// A setting that is stored in a member; one without help has no flag.
template <class Target>
struct Row : Setting<Target> {
  template <class Member, class Owner, class Parse, class Get>
  Row(const char* text, const char* shown, const char* meaning, Member Owner::*member,
      Parse parse_text, Get get_json)
      : Setting<Target>{"", "",      "", "", shown, meaning, value_words(As<Member>(), shown),
                        {}, get_json} {
    const SettingNames names(text);
    this->key = names.key;
    this->field = names.field;
    if (*meaning != 0) this->flag = names.flag;
    this->set = [member, parse_text](Target& target, const std::string& value) -> Status {
      CAUCUS_TRY(target.*member, parse_text(value));
      return Done{};
    };
  }
  template <class Member, class Owner, class Parse>
  Row(const char* names, const char* shown, const char* meaning, Member Owner::*member,
      Parse parse_text)
      : Row(names, shown, meaning, member, parse_text,
            [member](const Target& target) { return json_of(target.*member); }) {}
  template <class Member, class Owner>
  Row(const char* names, const char* shown, const char* meaning, Member Owner::*member)
      : Row(names, shown, meaning, member,
            [](const std::string& value) { return parse(As<Member>(), value); }) {}
};

template <class Target>
struct Table {
  const char* name;
  std::vector<Row<Target>> rows;
};

template <class Target>
std::vector<Setting<Target>> joined(const std::vector<Table<Target>>& tables) {
  std::vector<Setting<Target>> all;
  for (const auto& [name, rows] : tables) {
    for (const Setting<Target>& row : rows) all.emplace_back(row).table = name;
  }
  return all;
}

}  // namespace caucus::cli
