#include "caucus/federation/learner.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace caucus {
namespace {

Batch numbered(std::uint64_t batch) {
  const auto number = static_cast<std::uint32_t>(batch);
  return {number, number - 1, number};
}

AnyAlgorithm make(const AnySettings& settings) {
  if (const auto* adaptive = std::get_if<std::shared_ptr<const AdaptiveSettings>>(&settings)) {
    return AdaptiveOms(*adaptive);
  }
  return FomdOms(std::get<std::shared_ptr<const OmsSettings>>(settings));
}

/// work(algorithm) with its own type.
template <class Any, class Work>
decltype(auto) with_own_type(Any& algorithm, Work&& work) {
  if (auto* adaptive = std::get_if<AdaptiveOms>(&algorithm)) return work(*adaptive);
  return work(*std::get_if<FomdOms>(&algorithm));
}

constexpr double kNotComputed = -1.0;

}  // namespace

Learner::Learner(const AnySettings& settings, bool late_labels) : algorithm_(make(settings)) {
  const FeatureMaps& maps = plan().maps;
  norms_.assign(maps.size(), kNotComputed);
  remembers_.assign(maps.size(), false);
  if (const auto* adaptive = std::get_if<std::shared_ptr<const AdaptiveSettings>>(&settings)) {
    const auto& second = (*adaptive)->second_order;
    second_order_ = static_cast<std::size_t>(std::count(second.begin(), second.end(), true));
    for (std::size_t i = 0; i < maps.size(); ++i) {  // an expert has no weights
      remembers_[i] = late_labels && second[i] && maps.dimension(i) > 0;
    }
  }
}

const Plan& Learner::plan() const {
  return with_own_type(algorithm_, [](const auto& server) -> const Plan& { return server.plan(); });
}

const Assignment& Learner::assign(std::uint64_t batch, std::uint32_t client) {
  with_own_type(algorithm_,
                [&](auto& server) { server.assign(numbered(batch), client, assignment_); });
  return assignment_;
}

SampledSet Learner::sampled(std::uint64_t batch, std::uint32_t client) {
  SampledSet set{batch, {}};
  for (const HeldModel& held : assign(batch, client).held) {
    const double p = with_own_type(
        algorithm_, [&](const auto& server) { return server.probabilities()[held.space]; });
    set.models.push_back({held.space, p, norm_of(held.space, held.weights),
                          remembered(batch, held.space, held.weights)});
  }
  return set;
}

double Learner::norm_of(std::uint32_t space, std::span<const float> weights) {
  if (norms_[space] == kNotComputed) {
    double square = 0.0;
    for (const float w : weights) square += static_cast<double>(w) * static_cast<double>(w);
    norms_[space] = std::sqrt(square);
  }
  return norms_[space];
}

SharedWeights Learner::remembered(std::uint64_t batch, std::uint32_t space,
                                  std::span<const float> weights) {
  if (!remembers_weights(space)) return nullptr;
  if (given_in_ != batch) given_.clear();
  given_in_ = batch;
  SharedWeights& given = given_[space];
  if (!given) given = std::make_shared<std::vector<float>>(weights.begin(), weights.end());
  return given;
}

namespace {

/// The parts of one client's report as the algorithm takes them, with the memory they point to.
class Parts {
 public:
  Parts(std::uint64_t batch, const AcceptedReport& accepted) {
    const auto& records = accepted.report->parts;
    held_.resize(records.size());
    drawn_with_.resize(records.size());
    for (std::size_t n = 0; n < records.size(); ++n) {
      for (const HeldReportRecord& one : records[n].held) {
        held_[n].push_back({one.space, one.loss, 1.0F, one.gradient});
      }
      if (records[n].sampled != batch) mark_late(n, *accepted.sampled[n]);  // else all is as it was
      reports_.push_back({accepted.client, records[n].examples, held_[n], drawn_with_[n]});
    }
  }
  [[nodiscard]] std::span<const Report> reports() const { return reports_; }

 private:
  /// Says with which p the models were drawn, and where their gradients were taken.
  void mark_late(std::size_t n, const SampledSet& sampled) {
    for (std::size_t a = 0; a < sampled.models.size(); ++a) {
      const SampledModel& model = sampled.models[a];
      drawn_with_[n].push_back(model.probability);
      if (model.weights) held_[n][a].taken_at = *model.weights;
    }
  }

  std::vector<std::vector<HeldReport>> held_;
  std::vector<std::vector<double>> drawn_with_;
  std::vector<Report> reports_;
};

}  // namespace

void Learner::fold(std::uint64_t batch, std::span<const AcceptedReport> reports) {
  with_own_type(algorithm_, [&](auto& server) {
    auto aggregate = server.new_aggregate();
    aggregate.clear();
    for (const AcceptedReport& accepted : reports) {
      server.aggregate(Parts(batch, accepted).reports(), aggregate);
    }
    server.step(numbered(batch), aggregate);
  });
  // Models that nobody held keep their norm.
  for (const AcceptedReport& accepted : reports) {
    for (const PartRecord& part : accepted.report->parts) {
      for (const HeldReportRecord& one : part.held) norms_[one.space] = kNotComputed;
    }
  }
}

std::vector<double> Learner::probabilities() const { return probabilities_of(algorithm_); }

LearnedModel Learner::learned() const { return learned_by(algorithm_); }

std::size_t Learner::upload_bits(const Assignment& assignment) const {
  return with_own_type(algorithm_,
                       [&](const auto& server) { return server.upload_bits(assignment); });
}

std::size_t Learner::download_bits(const Assignment& assignment) const {
  return with_own_type(algorithm_,
                       [&](const auto& server) { return server.download_bits(assignment); });
}

void Learner::save(StateWriter& into) const {
  with_own_type(algorithm_, [&](const auto& server) { server.save(into); });
}

Status Learner::restore(StateReader& from) {
  norms_.assign(norms_.size(), kNotComputed);
  given_.clear();
  return with_own_type(algorithm_, [&](auto& server) { return server.restore(from); });
}

}  // namespace caucus
