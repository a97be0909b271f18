// Any of the algorithms, chosen by name once, outside every hot loop.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/nco_oms.hpp"
#include "caucus/core/result.hpp"

namespace caucus {

using AnyAlgorithm = std::variant<FomdOms, NcoOms>;

const std::vector<std::string>& algorithm_names();

/// Whether clients of this algorithm learn from each other; decides the rates.
bool is_cooperative(const std::string& name);

/// The name must be one of algorithm_names(), the settings valid.
AnyAlgorithm make_algorithm(const std::string& name, std::shared_ptr<const OmsSettings> settings,
                            std::size_t clients);

/// p, for NCO-OMS its mean over the clients.
std::vector<double> probabilities_of(const AnyAlgorithm& algorithm);

/// For NCO-OMS the model whose forecast is the mean of the clients' forecasts:
/// p_i = mean_j p_ij and w_i = sum_j p_ij w_ij / sum_j p_ij.
LearnedModel learned_by(const AnyAlgorithm& algorithm);

}  // namespace caucus
