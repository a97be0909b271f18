// Writes the examples of the benchmarks as a .f32 file that all programs read:
//   bench_data --csv FILE --out FILE.f32              features scaled to [-1,1], target to [0,1]
//   bench_data --rows N --features d --out FILE.f32   the built-in linear problem, scaled likewise
// and, for the benchmark of the readers, the same problem as text:
//   bench_data --rows N --features d --text FILE.csv[.gz]
#include <algorithm>
#include <vector>

#include "caucus/data/generators.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

constexpr Interval kFeatureRange{-1.0, 1.0};
constexpr Interval kTargetRange{0.0, 1.0};

Generator linear_problem(Flags& flags) {
  GeneratorOptions options;
  options.rows = flags.take("--rows", std::size_t{16590});
  options.features = flags.take("--features", std::size_t{18});
  options.noise = 0.05;
  return value_of(make_generator("linear", options));
}

Dataset scaled(const Dataset& raw) {
  std::vector<float> values;
  values.reserve(raw.rows() * raw.stride());
  const Scaling& scaling = raw.scaling();
  const auto to = [&](Interval range, std::size_t column, float value) {
    return static_cast<float>(scale_to(range, scaling.minimum[column], scaling.maximum[column],
                                       static_cast<double>(value)));
  };
  for (std::size_t row = 0; row < raw.rows(); ++row) {
    const auto x = raw.x(row);
    for (std::size_t k = 0; k < x.size(); ++k) values.push_back(to(kFeatureRange, k, x[k]));
    values.push_back(to(kTargetRange, x.size(), raw.y(row)));
  }
  return value_of(dataset_from_values(raw.name(), raw.features(), values));
}

void make_data(Flags& flags) {
  const std::string csv = flags.take("--csv", std::string());
  const std::string text = flags.take("--text", std::string());
  const std::string out = flags.take("--out", std::string());
  if (!csv.empty()) {
    flags.expect_none_left();
    write_examples(value_of(read_dataset(
                       {csv}, {.feature_range = kFeatureRange, .label_range = kTargetRange})),
                   out);
    return;
  }
  const Generator problem = linear_problem(flags);
  flags.expect_none_left();
  if (!text.empty()) {
    const Status written = write_csv(problem, text);
    if (!written.ok()) throw std::runtime_error(written.error().line());
  } else {
    write_examples(scaled(value_of(generate_dataset(problem))), out);
  }
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("bench_data", count, words, caucus::bench::make_data);
}
