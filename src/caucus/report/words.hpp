// The names of enumeration values in flags and files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/simulation/labels.hpp"
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
inline const Words<Horizon> kHorizons = {{"rounds", Horizon::rounds},
                                         {"examples", Horizon::examples}};
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

}  // namespace caucus::report
