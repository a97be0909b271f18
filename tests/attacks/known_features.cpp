#include "known_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/base/random.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/features/kernel.hpp"

namespace caucus::attacks {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

KnownFeatures::KnownFeatures(const SharedPlan& plan, std::size_t index)
    : inputs_(static_cast<Index>(plan.features)) {
  const Space& space = plan.spaces[index];
  leading_ = space.intercept ? inputs_ + 1 : (space.is_kernel() ? 0 : inputs_);
  size_ = leading_;
  if (!space.is_kernel()) return;
  leading_factor_ = 1.0 / std::sqrt(static_cast<double>(inputs_));
  amplitude_ = 1.0 / std::sqrt(static_cast<double>(space.features));
  frequencies_.resize(static_cast<Index>(space.features), inputs_);
  for (Index k = 0; k < frequencies_.rows(); ++k) {
    Stream stream({plan.seed, Purpose::features, 0, static_cast<std::uint32_t>(space.kind),
                   static_cast<std::uint32_t>(k)});
    for (Index l = 0; l < inputs_; ++l) {
      frequencies_(k, l) = draw_frequency(space.kind, stream) / space.width;
    }
  }
  // The order of cosines and sines depends on the CPU. It is found by comparison with what the
  // program computes at a few points.
  constexpr Index kPoints = 4;
  const auto maps =
      FeatureMaps::make(plan.spaces, {plan.features, 0}, plan.seed, 0, plan.sample_size).value();
  size_ = static_cast<Index>(maps.dimension(index));
  MatrixXd points(inputs_, kPoints), values(size_, kPoints);
  FeatureMaps::Workspace workspace(maps);
  Stream stream({1, Purpose::test, 0, 0, 0});
  for (Index n = 0; n < kPoints; ++n) {
    std::vector<float> x(plan.features);
    for (float& number : x) number = static_cast<float>(0.1 * space.width * stream.normal());
    workspace.begin(x);
    const auto phi = maps.features(index, workspace);
    points.col(n) = Eigen::Map<const Eigen::VectorXf>(x.data(), inputs_).cast<double>();
    values.col(n) = Eigen::Map<const Eigen::VectorXf>(phi.data(), size_).cast<double>();
  }
  for (Index k = leading_; k < size_; ++k) waves_.push_back(wave_with(points, values.row(k)));
}

KnownFeatures::Wave KnownFeatures::wave_with(const MatrixXd& points, const VectorXd& values) const {
  const MatrixXd angles = frequencies_ * points;
  Wave best;
  double least = std::numeric_limits<double>::infinity();
  for (Index f = 0; f < angles.rows(); ++f) {
    for (const bool sine : {false, true}) {
      const Eigen::ArrayXd angle = angles.row(f).transpose().array();
      const Eigen::ArrayXd wave = sine ? Eigen::ArrayXd(angle.sin()) : Eigen::ArrayXd(angle.cos());
      const double error = (amplitude_ * wave - values.array()).abs().sum();
      if (error < least) {
        least = error;
        best = {f, sine};
      }
    }
  }
  return best;
}

KnownFeatures KnownFeatures::first(Index coordinates) const {
  KnownFeatures part = *this;
  part.size_ = std::min(size_, coordinates);
  part.waves_.resize(static_cast<std::size_t>(std::max<Index>(0, part.size_ - leading_)));
  Index frequencies = 0;
  for (const Wave& wave : part.waves_) frequencies = std::max(frequencies, wave.frequency + 1);
  part.frequencies_.conservativeResize(frequencies, Eigen::NoChange);
  return part;
}

void KnownFeatures::at(const Eigen::Ref<const VectorXd>& x, VectorXd& z, MatrixXd* slope) const {
  z.resize(size_);
  if (slope != nullptr) slope->setZero(size_, inputs_);
  for (Index k = 0; k < std::min(leading_, size_); ++k) {
    z[k] = k < inputs_ ? leading_factor_ * x[k] : 1.0;
    if (slope != nullptr && k < inputs_) (*slope)(k, k) = leading_factor_;
  }
  if (waves_.empty()) return;
  const VectorXd angles = frequencies_ * x;
  const Eigen::ArrayXd cosines = amplitude_ * angles.array().cos();
  const Eigen::ArrayXd sines = amplitude_ * angles.array().sin();
  for (std::size_t n = 0; n < waves_.size(); ++n) {
    const auto [f, is_sine] = waves_[n];
    const Index k = leading_ + static_cast<Index>(n);
    z[k] = is_sine ? sines[f] : cosines[f];
    if (slope != nullptr) slope->row(k) = (is_sine ? cosines[f] : -sines[f]) * frequencies_.row(f);
  }
}

std::vector<KnownFeatures> known_features(const SharedPlan& plan) {
  std::vector<KnownFeatures> all;
  for (std::size_t i = 0; i < plan.spaces.size(); ++i) all.emplace_back(plan, i);
  return all;
}

}  // namespace caucus::attacks
