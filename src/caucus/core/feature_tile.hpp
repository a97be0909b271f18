// The features of many examples at once: the projections of all that share a base are one small
// matrix product. An example's features have the same bits as when it comes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/aligned.hpp"
#include "caucus/core/feature_maps.hpp"

namespace caucus {

class FeatureTile {
 public:
  explicit FeatureTile(const FeatureMaps& maps);

  void clear();
  /// What follows is asked about x, which must outlive the tile's use of it.
  void begin_example(std::span<const float> x);
  /// Asks for phi_i(x); gives the number under which features() has it after compute().
  std::size_t request(std::size_t space);
  void compute();
  [[nodiscard]] std::span<const float> features(std::size_t request) const {
    const Request& asked = requests_[request];
    return {asked.ready != nullptr ? asked.ready : features_.data() + asked.offset, asked.size};
  }

 private:
  struct Request {
    const float* ready = nullptr;  ///< features that need no computation
    std::size_t size = 0;
    std::size_t offset = 0;  ///< of features_, for those that do
  };
  struct Job {  ///< random features to be computed
    std::size_t map = 0;
    std::size_t row = 0;  ///< of its base's projections
    std::size_t offset = 0;
  };
  struct Projections {
    std::vector<const float*> examples;
    AlignedVector<float> rows;
    std::vector<float> sizes;  ///< magnitudes of the rows
    std::uint64_t last_example = 0;
  };
  struct LastRequest {
    std::uint64_t example = 0;
    std::size_t request = 0;
  };
  std::size_t row_of(std::size_t base);

  const FeatureMaps* maps_;
  std::span<const float> x_;
  std::uint64_t example_ = 0;  ///< counted over all tiles, so that old marks mean nothing
  std::vector<Request> requests_;
  std::vector<Job> jobs_;
  std::vector<LastRequest> last_of_map_;
  std::vector<Projections> projections_;  ///< one per base
  std::vector<std::size_t> touched_;      ///< bases
  AlignedVector<float> features_;
  std::size_t used_ = 0;  ///< of features_
};

}  // namespace caucus
