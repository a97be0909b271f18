// Targets that are classes, as their names say: words, or numbers that stand for classes.
#pragma once

#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns "0", "1", ... for so many classes.
std::vector<std::string> numbered_classes(std::size_t classes);

/// Stands for an expert's forecast that is not a class.
inline constexpr float kNoClass = -1.0F;

/// Returns the name as a field of a CSV file, in quotes if it could be read as several fields.
std::string class_field(const std::string& name);

/// Makes each target the index of its class, and returns the names of the classes: the given ones
/// or, if there are none, all that occur, numbers in their order. Experts' forecasts of a class
/// become its index, too; others become kNoClass.
Result<std::vector<std::string>> apply_classes(Dataset& data,
                                               const std::vector<std::string>& given = {});

}  // namespace caucus
