// Copies tables from one file to another without keeping them in memory.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/result.hpp"

namespace caucus {

/// Reads any format. Writes LIBSVM if `to` ends in .libsvm or .svm, with the last column as the
/// label and categories, times and missing values encoded as numbers, and CSV otherwise, whose
/// fields stay as they are. Compresses it if the name ends in .gz.
Status convert_table(const std::string& from, const std::string& to);

/// Writes c01.csv, c02.csv, .. (as many digits as the count needs, at least two) into `directory`,
/// which is created if absent. Row r goes to client r mod `clients`, and every file gets the
/// header. On an error none of the files remains.
Status split_table(const std::string& from, std::size_t clients, const std::string& directory);

}  // namespace caucus
