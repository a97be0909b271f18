#include "caucus/data/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "caucus/data/files/number.hpp"
#include "caucus/data/files/text_file.hpp"

namespace caucus {
namespace {

constexpr std::array<GeneratorInfo, 6> kGenerators = {{
    {"linear", "y = <w, x> + noise with |w| = 0.5, x uniform in [-1,1]^d", "linear U=0.5", 10, 0.1},
    {"kernel", "20 bumps, a function in the space of width 2, + noise, x uniform in [-4,4]^d",
     "gaussian width 2", 3, 0.05},
    {"classify", "classes 0 and 1 by the sign of a noisy linear score", "linear", 10, 0.1},
    {"drift", "linear with a weight vector that jumps at each quarter of the rows",
     "linear U=0.5, another in each quarter", 10, 0.1},
    {"adversary-full", "lower-bound game (i): K fair coins and a fair label, alike for all clients",
     "none: coordinates are alike in expectation", 10, 0.0},
    {"adversary-partial", "lower-bound game (ii): K coins, a hidden one slightly better, label 1",
     "the hidden coordinate", 10, 0.0},
}};

constexpr std::size_t kMostFeatures = 1'000'000;

Status check(const GeneratorOptions& options, std::string_view name) {
  const auto wrong = [&](const char* what, std::size_t value, std::string expected) {
    return usage_error(std::string(name) + ": " + what, in_quotes(std::to_string(value)),
                       std::move(expected));
  };
  if (options.rows == 0) return wrong("rows", 0, "expected at least 1");
  if (options.clients == 0) return wrong("clients", 0, "expected at least 1");
  if (options.rows > std::numeric_limits<std::size_t>::max() / options.clients) {
    return wrong("rows", options.rows, "expected fewer");
  }
  if (options.features > kMostFeatures) {
    return wrong("features", options.features, "expected at most " + std::to_string(kMostFeatures));
  }
  if (options.noise && !(std::isfinite(*options.noise) && *options.noise >= 0.0)) {
    return usage_error(std::string(name) + ": noise", in_quotes(to_text(*options.noise)),
                       "expected a number from 0");
  }
  return Done{};
}

using Problem = Generator::Problem;

Result<Problem> make_problem(std::string_view name, const GeneratorOptions& options,
                             std::size_t features, double noise) {
  const std::uint64_t seed = options.seed;
  if (name == "linear") return Problem(LinearProblem(seed, features, noise));
  if (name == "kernel") return Problem(KernelProblem(seed, features, noise));
  if (name == "classify") return Problem(ClassifyProblem(seed, features, noise));
  if (name == "drift") return Problem(DriftProblem(seed, options.rows, features, noise));
  if (name == "adversary-full") return Problem(FullAdversary{seed, options.rows});
  if (options.sample_size == 0 || options.sample_size > features) {
    return usage_error("adversary-partial: sample", in_quotes(std::to_string(options.sample_size)),
                       "expected 1 to " + std::to_string(features));
  }
  PartialAdversary adversary(seed, options.rows, features, options.sample_size);
  if (adversary.rho >= 1.0) {
    return usage_error("adversary-partial: rows", in_quotes(std::to_string(options.rows)),
                       "expected more than features / (9 sample)");
  }
  return Problem(adversary);
}

}  // namespace

std::span<const GeneratorInfo> generator_list() { return kGenerators; }

Result<Generator> make_generator(std::string_view name, const GeneratorOptions& options) {
  const auto info = std::find_if(kGenerators.begin(), kGenerators.end(),
                                 [&](const GeneratorInfo& each) { return each.name == name; });
  if (info == kGenerators.end()) {
    std::vector<std::string> names;
    std::string listed;
    for (const GeneratorInfo& each : kGenerators) {
      listed.append(names.empty() ? "" : ", ").append(names.emplace_back(each.name));
    }
    const auto guess = nearest(name, names);
    return usage_error("generator", in_quotes(name),
                       (guess ? "did you mean " + *guess + "? Expected" : "expected") +
                           std::string(" one of ") + listed);
  }
  CAUCUS_CHECK(check(options, name));
  const std::size_t features = options.features > 0 ? options.features : info->features;
  CAUCUS_TRY(auto problem,
             make_problem(name, options, features, options.noise.value_or(info->noise)));
  const bool repeated = name.starts_with("adversary");
  return Generator{std::string(name), options.rows * (repeated ? options.clients : 1), features,
                   std::move(problem)};
}

Status write_csv(const Generator& generator, const std::string& path) {
  CAUCUS_TRY(TextWriter out, TextWriter::create(path));
  std::string line;
  for (std::size_t k = 1; k <= generator.features; ++k) {
    line.append("x").append(std::to_string(k)).append(",");
  }
  line += "y\n";
  CAUCUS_CHECK(out.write(line));
  std::vector<float> row(generator.features + 1);
  for (std::size_t i = 0; i < generator.rows; ++i) {
    generator.row(i, std::span(row).first(generator.features), row.back());
    csv_line(std::span<const float>(row), line);
    CAUCUS_CHECK(out.write(line));
  }
  return out.commit();
}

Result<Dataset> generate_dataset(const Generator& generator) {
  const std::size_t stride = generator.features + 1;
  try {
    std::vector<float> values(generator.rows * stride);
    for (std::size_t i = 0; i < generator.rows; ++i) {
      const std::span row = std::span(values).subspan(i * stride, stride);
      generator.row(i, row.first(stride - 1), row.back());
    }
    return dataset_from_values(generator.name, generator.features, values);
  } catch (const std::exception&) {
    return data_error(generator.name, "does not fit in memory", "expected fewer rows");
  }
}

}  // namespace caucus
