// LIBSVM: `label index:value ...` with increasing indices from 1. Features that are not listed are
// 0, and '#' begins a comment. The columns of the table are the features 1..d, then the label.
//
// The largest index is known only at the end of the file, so the file is read twice.
#pragma once

#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

inline constexpr std::size_t kLargestLibsvmIndex = 1'000'000;

Status read_libsvm(ByteSource& source, RowSink& sink);

}  // namespace caucus
