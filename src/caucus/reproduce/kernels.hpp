// Eight Gaussian kernels, D = 100, J = 2, as in Table 4, and algorithms for the experiments that
// the paper does not have, with rates that were good on most data sets of Table 4.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "caucus/reproduce/published.hpp"
#include "caucus/simulation/grid.hpp"

namespace caucus::reproduce {

inline constexpr std::array kPaperWidths = {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
inline constexpr std::uint32_t kPaperFeatures = 100;

/// The kernels with one algorithm. The rates are the defaults; for a baseline eta_g = 1, eta_l =
/// 0.5.
GridSetting gaussian_kernels(const Options& given, const std::string& algorithm,
                             double radius = 1.0);

/// Lets batches of any length be sent, and leaves the personal layer out: the other algorithms of a
/// comparison report every round and have none.
void without_privacy(ExperimentOptions& options);

/// FOMD-OMS under the adaptive schedule, the default of `caucus run`.
GridSetting adaptive_kernels(const Options& given);
/// FOMD-OMS with constant rates and C = U + 1.
GridSetting constant_kernels(const Options& given, double radius = 2.0, double eta = 16.0,
                             double lambda = 0.5);

/// Reads elevators and bank if they are present, otherwise built-in data; with --quick only the
/// latter.
Result<std::vector<PublishedData>> kernel_data(const Options& given,
                                               const std::vector<std::string>& built_in,
                                               bool always_built_in,
                                               std::vector<std::string>& skipped);

}  // namespace caucus::reproduce
