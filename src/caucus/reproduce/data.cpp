#include "caucus/reproduce/data.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "caucus/data/generators.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::reproduce {
namespace {

struct Description {
  std::string name;
  std::size_t rows;              ///< that the paper used
  Interval feature_range;        ///< of the authors' scaling
  const char* scaled_like = "";  ///< minimum and maximum are those of this data set
};

const std::vector<Description>& descriptions() {
  static const std::vector<Description> list = {
      {"elevators", 16590, {-1, 1}},   {"bank", 8190, {-1, 1}},
      {"ailerons", 13750, {-1, 1}},    {"calhousing14000", 14000, {-1, 1}, "calhousing"},
      {"tomshardware", 28170, {0, 1}}, {"twitter", 50000, {0, 1}},
      {"year", 51630, {-1, 1}},        {"slice", 53500, {-1, 1}},
  };
  return list;
}

std::string find_file(const std::string& directory, const std::string& name) {
  for (const char* ending : {".csv.gz", ".csv"}) {
    const auto path = std::filesystem::path(directory) / (name + ending);
    std::error_code code;
    if (std::filesystem::exists(path, code)) return path.string();
  }
  return {};
}

Status check_directory(const std::string& directory) {
  std::error_code code;
  const std::filesystem::directory_iterator entries(directory, code);
  if (!code) return Done{};
  return data_error(directory, code.message(), "expected a directory with the paper's data sets");
}

Result<Dataset> read(const std::string& path, const std::string& ranges, Interval feature_range) {
  ReadOptions options;
  options.feature_range = feature_range;
  options.label_range = Interval{0.0, 1.0};
  if (!ranges.empty()) {
    CAUCUS_TRY(options.ranges, load_ranges(ranges));
  }
  return read_dataset({path}, options);
}

}  // namespace

const std::vector<std::string>& published_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Description& each : descriptions()) list.push_back(each.name);
    return list;
  }();
  return names;
}

Result<std::vector<PublishedData>> read_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped) {
  CAUCUS_CHECK(check_directory(directory));
  std::vector<PublishedData> sets;
  for (const Description& wanted : descriptions()) {
    if (std::find(names.begin(), names.end(), wanted.name) == names.end()) continue;
    const std::string path = find_file(directory, wanted.name);
    const std::string like = wanted.scaled_like;
    const std::string ranges = like.empty() ? "" : find_file(directory, like);
    if (path.empty() || (!like.empty() && ranges.empty())) {
      const std::string& absent = path.empty() ? wanted.name : like;
      skipped.push_back(wanted.name + ": there is no " + absent + ".csv.gz in " + directory);
      continue;
    }
    CAUCUS_TRY(Dataset data, read(path, ranges, wanted.feature_range));
    if (data.rows() < wanted.rows) {
      skipped.push_back(wanted.name + ": the file has " + report::grouped(data.rows()) +
                        " rows, the paper used " + report::grouped(wanted.rows) +
                        ": not comparable");
      continue;
    }
    sets.push_back({wanted.name, std::move(data)});
  }
  return sets;
}

Result<std::vector<PublishedData>> need_published(const std::string& directory,
                                                  const std::vector<std::string>& names,
                                                  std::vector<std::string>& skipped) {
  CAUCUS_TRY(auto sets, read_published(directory, names, skipped));
  if (!sets.empty()) return sets;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return data_error(directory, "holds none of the data sets of this experiment",
                    "expected at least one of " + list + ", as NAME.csv.gz");
}

Result<Dataset> built_in_data(const std::string& generator, std::size_t rows, std::uint64_t seed) {
  GeneratorOptions options;
  options.rows = rows;
  options.seed = seed;
  CAUCUS_TRY(const Generator made, make_generator(generator, options));
  return generate_dataset(made);
}

}  // namespace caucus::reproduce
