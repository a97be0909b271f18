#include "caucus/data/class_names.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "caucus/data/files/number.hpp"
#include "caucus/loss.hpp"

namespace caucus {
namespace {

std::string name_of_number(float value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Returns the names of the targets that occur, in the order of the values.
std::map<float, std::string> names_of_targets(const Dataset& data) {
  std::map<float, std::string> names;
  const auto& words = data.target_names();
  for (std::size_t row = 0; row < data.rows() && names.size() <= kMostClasses; ++row) {
    const float y = data.y(row);
    if (names.contains(y)) continue;
    const auto index = static_cast<std::size_t>(std::max(0.0F, y));
    names.emplace(y, index < words.size() ? words[index] : name_of_number(y));
  }
  return names;
}

}  // namespace

std::vector<std::string> numbered_classes(std::size_t classes) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < classes; ++c) names.push_back(std::to_string(c));
  return names;
}

std::string class_field(const std::string& name) {
  return name.find_first_of(",\"\r\n") == std::string::npos ? name : csv_name(name);
}

Result<std::vector<std::string>> apply_classes(Dataset& data,
                                               const std::vector<std::string>& given) {
  const std::map<float, std::string> found = names_of_targets(data);
  if (found.size() > kMostClasses) {
    return data_error(data.name(), "the target has more than 1000 different values",
                      "expected a target of at most 1000 classes, or a loss for numbers");
  }
  std::vector<std::string> names = given.empty() ? data.target_names() : given;
  if (names.empty()) {
    for (const auto& [value, name] : found) names.push_back(name);
  }
  if (names.size() < 2) {
    return data_error(data.name(), "the target has one value", "expected at least two classes");
  }
  std::map<float, float> index;
  for (const auto& [value, name] : found) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) {
      return data_error(
          data.name(), "the target '" + name + "' is not one of the classes",
          "expected " + names.front() + ", " + names[1] + (names.size() > 2 ? ", ..." : ""));
    }
    index[value] = static_cast<float>(place - names.begin());
  }
  for (std::size_t row = 0; row < data.rows(); ++row) {
    data.set_y(row, index.at(data.y(row)));
    for (std::size_t e = 0; e < data.experts(); ++e) {
      const float forecast = data.x(row)[data.features() + e];
      const auto place = index.find(forecast);
      data.set_expert(row, e, place != index.end() ? place->second : kNoClass);
    }
  }
  return names;
}

}  // namespace caucus
