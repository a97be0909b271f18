// The data sets of the paper's experiments, where they are present: gzip CSV (or CSV), target last,
// scaled as the authors did.
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

/// Those of `names` that are in the directory with at least the rows that the paper used; why the
/// others are left out goes into `skipped`. An error if the directory cannot be read, or if one of
/// the files is broken.
Result<std::vector<PublishedData>> read_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped);

/// The same, and an error where none is left.
Result<std::vector<PublishedData>> need_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped);

/// All eight of the paper.
const std::vector<std::string>& published_names();

/// Rows of built-in data, with a problem of its own for each seed.
Result<Dataset> built_in_data(const std::string& generator, std::size_t rows, std::uint64_t seed);

}  // namespace caucus::reproduce
