// The data sets of the paper's experiments, if they are present: CSV, possibly gzipped, with the
// target in the last column, scaled as by the authors.
#pragma once

#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/reproduce/reproduce.hpp"
#include "caucus/result.hpp"

namespace caucus::reproduce {

struct PublishedData {
  std::string name;
  Dataset data;
};

/// Reads the data sets `names` that are in the directory with at least as many rows as the paper
/// used; the reasons for omitting others go to `skipped`. Fails if the directory cannot be read or
/// a file is broken.
Result<std::vector<PublishedData>> read_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped);

/// Like the above, but fails if no data set is left.
Result<std::vector<PublishedData>> need_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped);

/// The names of all eight data sets of the paper.
const std::vector<std::string>& published_names();

/// Generates built-in data; each seed gives another problem.
Result<Dataset> built_in_data(const std::string& generator, std::size_t rows, std::uint64_t seed);

}  // namespace caucus::reproduce
