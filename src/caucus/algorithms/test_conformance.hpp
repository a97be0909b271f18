// The algorithms that the conformance suite tests. A new algorithm adds a Subject below and its
// name to the list in conformance_test.cpp. If an invariant does not apply, its Subject says why.
#pragma once

#include <cstddef>
#include <vector>

#include "caucus/algorithms/baselines/fed_omd.hpp"
#include "caucus/algorithms/baselines/fedposgd.hpp"
#include "caucus/algorithms/baselines/kofl.hpp"
#include "caucus/algorithms/baselines/pof_mkl.hpp"
#include "caucus/algorithms/test_play.hpp"

namespace caucus::conformance {

/// Whether an algorithm claims an invariant and, if not, why not.
struct Claim {
  const char* exempt_because = nullptr;
};

/// The invariants that hold for every algorithm unless its Subject says otherwise.
struct Claims {
  static constexpr Claim kModelsStayInTheirSets{};
  static constexpr Claim kHoldingAllModelsNeedsNoDraws{};
  static constexpr std::size_t kRoundsToLearn = 300;
  /// The problem as this algorithm can play it.
  static Problem adapt(Problem problem) { return problem; }
};

/// `name` appears in the output of the tests. `make` returns a server for an adapted problem.
/// `parts` returns what each copy has learned that learns apart from the others, and `learned` the
/// whole, as a user gets it.
template <class A>
struct Subject;

template <>
struct Subject<FomdOms> : Claims {
  static constexpr const char* kName = "FomdOms";
  static FomdOms make(const Problem& problem) { return FomdOms(problem.settings()); }
  static std::vector<LearnedModel> parts(const FomdOms& server) { return {learned(server)}; }
  static LearnedModel learned(const FomdOms& server) { return server.learned(); }
};

template <>
struct Subject<FirstOrderOms> : Claims {
  static constexpr const char* kName = "FirstOrderOms";
  static FirstOrderOms make(const Problem& problem) {
    return FirstOrderOms(problem.first_order_settings());
  }
  static std::vector<LearnedModel> parts(const FirstOrderOms& server) { return {learned(server)}; }
  static LearnedModel learned(const FirstOrderOms& server) { return server.learned(); }
};

template <>
struct Subject<StatisticsOms> : Claims {
  static constexpr const char* kName = "StatisticsOms";
  static StatisticsOms make(const Problem& problem) {
    return StatisticsOms(problem.statistics_settings());
  }
  static std::vector<LearnedModel> parts(const StatisticsOms& server) { return {learned(server)}; }
  static LearnedModel learned(const StatisticsOms& server) { return server.learned(); }
};

/// Servers with other settings, each as a type of its own.
struct SharingFirstOrder : FirstOrderOms {
  using FirstOrderOms::FirstOrderOms;
};
struct SharingFomdOms : FomdOms {
  using FomdOms::FomdOms;
};
struct SharingStatistics : StatisticsOms {
  using StatisticsOms::StatisticsOms;
};
struct ReferenceStatistics : StatisticsOms {
  using StatisticsOms::StatisticsOms;
};

/// Returns the problem with settings for drifting data: p is mixed with the uniform distribution
/// and, under the adaptive schedule, the past is forgotten.
inline Problem with_fixed_share(Problem problem) {
  problem.fixed_share = 0.05;
  return problem;
}

template <>
struct Subject<SharingFirstOrder> : Subject<FirstOrderOms> {
  static constexpr const char* kName = "FirstOrderWithFixedShare";
  static SharingFirstOrder make(const Problem& problem) {
    return SharingFirstOrder(problem.first_order_settings());
  }
  static Problem adapt(Problem problem) { return with_fixed_share(std::move(problem)); }
};

template <>
struct Subject<SharingFomdOms> : Subject<FomdOms> {
  static constexpr const char* kName = "FomdOmsWithFixedShare";
  static SharingFomdOms make(const Problem& problem) { return SharingFomdOms(problem.settings()); }
  static Problem adapt(Problem problem) { return with_fixed_share(std::move(problem)); }
};

template <>
struct Subject<SharingStatistics> : Subject<StatisticsOms> {
  static constexpr const char* kName = "StatisticsWithFixedShare";
  static SharingStatistics make(const Problem& problem) {
    return SharingStatistics(problem.statistics_settings());
  }
  static Problem adapt(Problem problem) { return with_fixed_share(std::move(problem)); }
};

/// With intercepts every client holds a linear space, whose sums are a part of those of kernels.
/// Clients have a personal layer.
template <>
struct Subject<ReferenceStatistics> : Subject<StatisticsOms> {
  static constexpr const char* kName = "StatisticsWithReference";
  static ReferenceStatistics make(const Problem& problem) {
    return ReferenceStatistics(problem.statistics_settings());
  }
  static Problem adapt(Problem problem) {
    for (Space& space : problem.spaces) space.intercept = true;
    problem.personal = true;
    return problem;
  }
};

/// Every copy learns apart from the others.
template <class Server>
struct Subject<Noncooperative<Server>> : Subject<Server> {
  static constexpr const char* kName = std::is_same_v<Server, FomdOms>         ? "NcoOms"
                                       : std::is_same_v<Server, FirstOrderOms> ? "NcoFirstOrder"
                                                                               : "NcoStatistics";
  static Noncooperative<Server> make(const Problem& problem) {
    if constexpr (std::is_same_v<Server, FomdOms>) {
      return {problem.settings(), problem.clients};
    } else if constexpr (std::is_same_v<Server, FirstOrderOms>) {
      return {problem.first_order_settings(), problem.clients};
    } else {
      return {problem.statistics_settings(), problem.clients};
    }
  }
  static std::vector<LearnedModel> parts(const Noncooperative<Server>& server) {
    std::vector<LearnedModel> copies;
    for (std::size_t j = 0; j < server.clients(); ++j) {
      copies.push_back(server.copy(j).learned());
    }
    return copies;
  }
  static LearnedModel learned(const Noncooperative<Server>& server) { return server.learned(); }
};

/// The baselines are all made from BaselineSettings.
template <class A>
struct BaselineSubject : Claims {
  static A make(const Problem& problem) { return A(problem.baseline_settings()); }
  static std::vector<LearnedModel> parts(const A& server) { return {server.learned()}; }
  static LearnedModel learned(const A& server) { return server.learned(); }
};

template <>
struct Subject<PofMkl> : BaselineSubject<PofMkl> {
  static constexpr const char* kName = "PofMkl";
  static constexpr Claim kModelsStayInTheirSets{"POF-MKL regularizes and never projects"};
};

template <>
struct Subject<EmKofl> : BaselineSubject<EmKofl> {
  static constexpr const char* kName = "EmKofl";
  static constexpr Claim kModelsStayInTheirSets{"KOFL regularizes and never projects"};
  static constexpr Claim kHoldingAllModelsNeedsNoDraws{"one drawn model goes through the server"};
};

template <>
struct Subject<VmKofl> : BaselineSubject<VmKofl> {
  static constexpr const char* kName = "VmKofl";
  static constexpr Claim kModelsStayInTheirSets{"KOFL regularizes and never projects"};
};

template <>
struct Subject<PmKofl> : BaselineSubject<PmKofl> {
  static constexpr const char* kName = "PmKofl";
  static constexpr Claim kModelsStayInTheirSets{"KOFL regularizes and never projects"};
  static constexpr Claim kHoldingAllModelsNeedsNoDraws{"one drawn model goes through the server"};
};

/// Algorithms with one space play the last of the problem's.
template <class A>
struct OneSpaceSubject : BaselineSubject<A> {
  static Problem adapt(Problem problem) {
    problem.spaces.erase(problem.spaces.begin(), problem.spaces.end() - 1);
    problem.sample_size = 1;
    return problem;
  }
};

template <>
struct Subject<FedOmd> : OneSpaceSubject<FedOmd> {
  static constexpr const char* kName = "FedOmd";
};

template <>
struct Subject<FedPosgd> : OneSpaceSubject<FedPosgd> {
  static constexpr const char* kName = "FedPosgd";
  static constexpr Claim kHoldingAllModelsNeedsNoDraws{"it plays a random point around its model"};
  static constexpr std::size_t kRoundsToLearn = 20000;  // a round gives only one number
  /// A space of few dimensions and a larger rate: bandit feedback is slow.
  static Problem adapt(Problem problem) {
    problem.spaces = {Space{.radius = 1.0, .intercept = true}};
    problem.sample_size = 1;
    problem.lambda = 2.0;
    return problem;
  }
};

template <class A>
std::vector<double> state_of(const A& server) {
  std::vector<double> numbers;
  for (const LearnedModel& part : Subject<A>::parts(server)) append_numbers(part, numbers);
  return numbers;
}

}  // namespace caucus::conformance
