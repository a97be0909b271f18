// Generators of synthetic data, selected by name. Every row is a pure function of the options and
// the row's number, so rows can be generated in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "caucus/data/dataset.hpp"
#include "caucus/data/problems.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct GeneratorOptions {
  std::size_t rows = 1000;           ///< for the adversaries: T, the rows of each client
  std::size_t features = 0;          ///< 0 means the default; for the adversaries: K
  std::size_t clients = 1;           ///< for the adversaries: how often the T rows repeat
  std::size_t sample_size = 2;       ///< for adversary-partial: J
  std::optional<double> noise = {};  ///< standard deviation; the generator's default if absent
  std::uint64_t seed = 1;
};

struct Generator {
  using Problem = std::variant<LinearProblem, KernelProblem, ClassifyProblem, DriftProblem,
                               FullAdversary, PartialAdversary>;

  std::string name;
  std::size_t rows;  ///< of all clients
  std::size_t features;
  Problem problem;

  /// Generates row i < rows. x must have room for that many features.
  void row(std::size_t i, std::span<float> x, float& y) const {
    std::visit([&](const auto& any) { any.row(i, x, y); }, problem);
  }
};

struct GeneratorInfo {
  std::string_view name;
  std::string_view description;
  std::string_view best;  ///< the hypothesis space known to be best
  std::size_t features;   ///< the default
  double noise;           ///< the default
};

/// All generators, in the order in which they are listed to users.
std::span<const GeneratorInfo> generator_list();

Result<Generator> make_generator(std::string_view name, const GeneratorOptions& options);

/// Writes CSV with the header x1,..,xd,y, compressed if the path ends in .gz.
Status write_csv(const Generator& generator, const std::string& path);

/// Generates the rows that write_csv() writes as a dataset in memory.
Result<Dataset> generate_dataset(const Generator& generator);

}  // namespace caucus
