// What the paper published: the errors of its Tables 3 and 4, beside those of an independent
// implementation if there are any, and its data sets, if they are present: CSV, possibly gzipped,
// with the target in the last column, scaled as by the authors.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/reproduce/reproduce.hpp"
#include "caucus/result.hpp"

namespace caucus::reproduce {

struct Published {
  std::optional<double> paper = {};
  std::optional<double> reference = {};  ///< of the independent implementation
};

/// FOMD J = K, NCO J = K, FOMD J = 2, NCO J = 2.
using PublishedRow = std::array<Published, 4>;
const PublishedRow& published_table3(const std::string& data);

/// Returns nothing for an algorithm that the paper does not contain.
Published published_table4(const std::string& data, const std::string& algorithm);

/// The cells paper, reference, ours, sd, to paper, to reference of a row of Table 3 or 4.
std::vector<report::Json> error_cells(const Published& known, const std::vector<double>& mse);

struct PublishedData {
  std::string name;
  Dataset data;
};

/// Reads the data sets `names` that are in the directory with at least as many rows as the paper
/// used; the reasons for omitting others go to `skipped`. Fails if the directory cannot be read, a
/// file is broken, or no data set is left although one is `needed`.
Result<std::vector<PublishedData>> read_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  bool needed, std::vector<std::string>& skipped);

/// The names of all eight data sets of the paper.
std::vector<std::string> published_names();

}  // namespace caucus::reproduce
