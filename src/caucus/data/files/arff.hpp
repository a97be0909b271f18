// ARFF (Weka): @relation, @attribute, @data with dense or sparse rows, % comments.
//
// Numeric attributes give their numbers. A nominal attribute whose values are all numbers gives
// those numbers; any other gives the position 0..n-1 of the value in its declaration. In a sparse
// row what is not listed is 0, or the first value of a nominal attribute, as in Weka.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

Status read_arff(ByteSource& source, RowSink& sink);

}  // namespace caucus
