// Any of the algorithms, chosen once by name, outside of the loops over examples.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "caucus/algorithms/baselines/fed_omd.hpp"
#include "caucus/algorithms/baselines/fedposgd.hpp"
#include "caucus/algorithms/baselines/kofl.hpp"
#include "caucus/algorithms/baselines/pof_mkl.hpp"
#include "caucus/algorithms/first_order_oms.hpp"
#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/nco_oms.hpp"
#include "caucus/result.hpp"

namespace caucus {

using AnyAlgorithm = std::variant<FomdOms, NcoOms, FirstOrderOms, NcoFirstOrder, StatisticsOms,
                                  NcoStatistics, EmKofl, VmKofl, PmKofl, PofMkl, FedOmd, FedPosgd>;

/// The settings of any algorithm. Their type determines which algorithm a name stands for.
using AnySettings =
    std::variant<std::shared_ptr<const OmsSettings>, std::shared_ptr<const FirstOrderSettings>,
                 std::shared_ptr<const StatisticsSettings>,
                 std::shared_ptr<const BaselineSettings>>;

const std::vector<std::string>& algorithm_names();

/// Returns whether it has rates of its own (BaselineRates) instead of a schedule.
bool is_baseline(const std::string& name);

/// Returns whether it learns in one space only: K = 1.
bool needs_one_space(const std::string& name);

/// Returns whether clients of this algorithm learn from each other, which determines the rates.
bool is_cooperative(const std::string& name);

/// The name must be one of algorithm_names(), and the settings valid and of its kind.
AnyAlgorithm make_algorithm(const std::string& name, const AnySettings& settings,
                            std::size_t clients);

}  // namespace caucus
