#include "caucus/algorithms/any_algorithm.hpp"

#include <utility>

#include "caucus/algorithms/algorithm.hpp"

namespace caucus {

static_assert(Algorithm<FomdOms>);
static_assert(Algorithm<NcoOms>);
static_assert(Algorithm<AdaptiveOms>);
static_assert(Algorithm<NcoAdaptive>);

namespace {

using Settings = std::shared_ptr<const BaselineSettings>;

struct Baseline {
  std::string name;
  bool one_space;
  AnyAlgorithm (*make)(const Settings&);
};

template <class A>
AnyAlgorithm make(const Settings& settings) {
  return A(settings);
}

const std::vector<Baseline>& baselines() {
  static const std::vector<Baseline> list = {
      {"em-kofl", false, make<EmKofl>},   {"vm-kofl", false, make<VmKofl>},
      {"pm-kofl", false, make<PmKofl>},   {"pof-mkl", false, make<PofMkl>},
      {"ofskl", true, make<PofMkl>},      {"fed-omd", true, make<FedOmd>},
      {"fedposgd", true, make<FedPosgd>},
  };
  return list;
}

const Baseline* find_baseline(const std::string& name) {
  for (const Baseline& baseline : baselines()) {
    if (baseline.name == name) return &baseline;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& algorithm_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list = {"fomd-oms", "nco-oms"};
    for (const Baseline& baseline : baselines()) list.push_back(baseline.name);
    return list;
  }();
  return names;
}

bool is_cooperative(const std::string& name) { return name != "nco-oms"; }

bool is_baseline(const std::string& name) { return find_baseline(name) != nullptr; }

bool needs_one_space(const std::string& name) {
  const Baseline* baseline = find_baseline(name);
  return baseline != nullptr && baseline->one_space;
}

AnyAlgorithm make_algorithm(const std::string& name, const AnySettings& settings,
                            std::size_t clients) {
  if (const Baseline* baseline = find_baseline(name)) {
    return baseline->make(std::get<Settings>(settings));
  }
  const bool cooperative = is_cooperative(name);
  if (const auto* adaptive = std::get_if<std::shared_ptr<const AdaptiveSettings>>(&settings)) {
    if (cooperative) return AdaptiveOms(*adaptive);
    return NcoAdaptive(*adaptive, clients);
  }
  const auto& rates = std::get<std::shared_ptr<const OmsSettings>>(settings);
  if (cooperative) return FomdOms(rates);
  return NcoOms(rates, clients);
}

namespace {

template <class Server>
concept Selects = requires(const Server& server) {
  server.selection();
};

template <Selects Server>
LearnedModel learned(const Server& algorithm) {
  return algorithm.learned();
}

template <Selects Server>
std::vector<double> probabilities(const Server& algorithm) {
  return algorithm.selection();
}

template <class Server>
LearnedModel learned(const Server& algorithm) {
  const auto p = algorithm.probabilities().probabilities();
  LearnedModel model{{p.begin(), p.end()}, {}};
  for (std::size_t i = 0; i < algorithm.models(); ++i) {
    const auto w = algorithm.weights(i);
    model.weights.emplace_back(w.begin(), w.end());
  }
  return model;
}

template <class Server>
LearnedModel learned(const Noncooperative<Server>& algorithm) {
  const std::size_t K = algorithm.copy(0).models();
  const auto M = static_cast<double>(algorithm.clients());
  LearnedModel model{std::vector<double>(K, 0.0), {}};
  for (std::size_t i = 0; i < K; ++i) {
    std::vector<double> sum(algorithm.copy(0).weights(i).size(), 0.0);
    for (std::size_t j = 0; j < algorithm.clients(); ++j) {
      const double p = algorithm.copy(j).probabilities()[i];
      const auto w = algorithm.copy(j).weights(i);
      model.probabilities[i] += p;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += p * static_cast<double>(w[k]);
    }
    std::vector<float>& mean = model.weights.emplace_back();
    const double total = model.probabilities[i];
    for (const double value : sum) {
      mean.push_back(total > 0.0 ? static_cast<float>(value / total) : 0.0F);
    }
    model.probabilities[i] = total / M;
  }
  return model;
}

template <class Server>
std::vector<double> probabilities(const Server& algorithm) {
  const auto p = algorithm.probabilities().probabilities();
  return {p.begin(), p.end()};
}

template <class Server>
std::vector<double> probabilities(const Noncooperative<Server>& algorithm) {
  std::vector<double> mean(algorithm.copy(0).models(), 0.0);
  for (std::size_t j = 0; j < algorithm.clients(); ++j) {
    const Simplex& p = algorithm.copy(j).probabilities();
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += p[i];
  }
  for (double& value : mean) value /= static_cast<double>(algorithm.clients());
  return mean;
}

}  // namespace

std::vector<double> probabilities_of(const AnyAlgorithm& algorithm) {
  return std::visit([](const auto& a) { return probabilities(a); }, algorithm);
}

LearnedModel learned_by(const AnyAlgorithm& algorithm) {
  return std::visit([](const auto& a) { return learned(a); }, algorithm);
}

}  // namespace caucus
