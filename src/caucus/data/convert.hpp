// Tables from one file to another, streamed.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// Reads any format; writes CSV or, for .libsvm and .svm, LIBSVM with the last column as label;
/// compressed for .gz. Numbers are the shortest that read back as the same doubles.
Status convert_table(const std::string& from, const std::string& to);

/// Writes c01.csv, c02.csv, .. (as many digits as the count needs, at least two) into `directory`,
/// which is made if absent: row r goes to client r mod `clients`, a header goes to all. On an error
/// no file of it remains.
Status split_table(const std::string& from, std::size_t clients, const std::string& directory);

}  // namespace caucus
