// The names of enumeration values in flags and files, and class labels.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/report/json.hpp"
#include "caucus/simulation/options.hpp"
#include "caucus/space.hpp"

namespace caucus::report {

template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

inline const Words<SpaceKind> kSpaceKinds = {{"linear", SpaceKind::linear},
                                             {"gaussian", SpaceKind::gaussian},
                                             {"laplacian", SpaceKind::laplacian},
                                             {"cauchy", SpaceKind::cauchy},
                                             {"experts", SpaceKind::expert}};
inline const Words<Constraint> kConstraints = {{"ball", Constraint::ball},
                                               {"box", Constraint::box}};
inline const Words<ScheduleKind> kSchedules = {
    {"adaptive", ScheduleKind::adaptive},
    {"adaptive-first-order", ScheduleKind::adaptive_first_order},
    {"theory", ScheduleKind::theory},
    {"constant", ScheduleKind::constant}};
inline const Words<Mode> kModes = {{"asynchronous", Mode::asynchronous},
                                   {"synchronous", Mode::synchronous}};
inline const Words<Impute> kImputes = {
    {"mean", Impute::mean}, {"none", Impute::none}, {"drop", Impute::drop}};
inline const Words<Encoding::Role> kRoles = {{"feature", Encoding::Role::feature},
                                             {"target", Encoding::Role::target},
                                             {"expert", Encoding::Role::expert},
                                             {"client", Encoding::Role::client},
                                             {"ignored", Encoding::Role::ignored}};
inline const Words<Encoding::Kind> kEncodings = {{"number", Encoding::Kind::number},
                                                 {"boolean", Encoding::Kind::boolean},
                                                 {"category", Encoding::Kind::category},
                                                 {"time", Encoding::Kind::time}};
inline const Words<Horizon> kHorizons = {{"rounds", Horizon::rounds},
                                         {"examples", Horizon::examples}};
inline const Words<Robust> kRobust = {
    {"none", Robust::none}, {"clip", Robust::clip}, {"trim", Robust::trim}};
inline const Words<LabelConvention> kLabels = {{"none", LabelConvention::none},
                                               {"zero_one", LabelConvention::zero_one},
                                               {"minus_plus", LabelConvention::minus_plus}};

template <class Enum>
std::string word_of(const Words<Enum>& words, Enum value) {
  for (const auto& [word, meaning] : words) {
    if (meaning == value) return word;
  }
  return {};
}

template <class Enum>
std::optional<Enum> meaning_of(const Words<Enum>& words, const std::string& text) {
  for (const auto& [word, meaning] : words) {
    if (word == text) return meaning;
  }
  return {};
}

/// Reads a word from a file. An absent one is the first of `words`.
template <class Enum>
Enum read_word(JsonReader& in, const std::string& key, const Words<Enum>& words) {
  const auto meaning = meaning_of(words, in.text(key));
  if (!meaning && in.member(key) != nullptr) {
    std::string list;
    for (const auto& [word, value] : words) list += (list.empty() ? "" : ", ") + word;
    in.fail(key, "is not one of " + list);
  }
  return meaning.value_or(words.front().second);
}

/// Returns the label in the user's convention for a score or a class -1, 1.
inline double written_label(double score, LabelConvention convention) {
  if (score > 0.0) return 1.0;
  return convention == LabelConvention::zero_one ? 0.0 : -1.0;
}

}  // namespace caucus::report
