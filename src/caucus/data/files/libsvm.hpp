// LIBSVM: `label index:value ...`, indices increasing from 1, what is not listed is 0, comments
// after
// '#'. The table has the features 1..d as its first columns and the label as its last.
//
// The largest index is known only at the end of the file, so the file is read twice.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

inline constexpr std::size_t kLargestLibsvmIndex = 1'000'000;

Status read_libsvm(ByteSource& source, RowSink& sink);

}  // namespace caucus
