// ARFF (Weka): @relation, @attribute, @data with dense or sparse rows, % comments.
//
// A numeric attribute becomes its number. A nominal attribute whose values are all numbers becomes
// that number; any other becomes the position 0..n-1 of the value in its declaration. Attributes
// that a sparse row does not list are 0, or the first value of a nominal attribute, as in Weka.
#pragma once

#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

Status read_arff(ByteSource& source, RowSink& sink);

}  // namespace caucus
