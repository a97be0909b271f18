// The feature map of a space as a server computes it in double precision from what it knows, the
// plan: z(x) and its derivatives.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "caucus/plan.hpp"

namespace caucus::attacks {

class KnownFeatures {
 public:
  KnownFeatures(const SharedPlan& plan, std::size_t index);
  /// Returns the map to the leading coordinates.
  [[nodiscard]] KnownFeatures first(Eigen::Index coordinates) const;

  [[nodiscard]] Eigen::Index inputs() const { return inputs_; }
  [[nodiscard]] Eigen::Index size() const { return size_; }
  /// Returns the number of coordinates before the random features.
  [[nodiscard]] Eigen::Index leading() const { return leading_; }
  /// Returns the factor of x in these coordinates.
  [[nodiscard]] double leading_factor() const { return leading_factor_; }
  /// Writes z(x) and, unless it is null, dz/dx.
  void at(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::VectorXd& z,
          Eigen::MatrixXd* slope) const;

 private:
  struct Wave {
    Eigen::Index frequency = 0;
    bool sine = false;
  };

  /// Finds the wave that takes these values at these points.
  [[nodiscard]] Wave wave_with(const Eigen::MatrixXd& points, const Eigen::VectorXd& values) const;

  Eigen::Index inputs_ = 0, size_ = 0, leading_ = 0;
  double leading_factor_ = 1.0, amplitude_ = 0.0;
  Eigen::MatrixXd frequencies_;  ///< one row for each, divided by the width
  std::vector<Wave> waves_;      ///< the coordinates after the leading ones
};

/// Returns the maps of all spaces of a plan.
std::vector<KnownFeatures> known_features(const SharedPlan& plan);

}  // namespace caucus::attacks
