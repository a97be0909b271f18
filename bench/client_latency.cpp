// Measures one client with one example at a time: the time of `predict` (until the prediction is
// available) and of `report` (losses and gradients for a known y), and the memory of a client: the
// plan with its frequencies, the J models, and the buffers of one round. With `--statistics 1` the
// client is one of the adaptive schedule in a long batch: `report` is what it adds to its sums
// and learns about itself. Its kernels have an intercept, and it holds a linear space, too.
//   client_latency [--features D] [--sample J] [--models K] [--dimension d] [--seconds S]
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/statistics/statistics_oms.hpp"
#include "caucus/core/base/random.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

struct Size {
  std::size_t dimension = 18;  ///< d
  std::uint32_t features = 100;
  std::size_t sample_size = 2;
  std::size_t models = 8;
};

class Client {
 public:
  explicit Client(const Size& size) {
    std::vector<Space> spaces;
    for (std::size_t i = 0; i < size.models; ++i) {
      spaces.push_back({.kind = SpaceKind::gaussian,
                        .radius = 2.0,
                        .width = std::exp2(static_cast<double>(i) - 1.0),
                        .features = size.features});
    }
    plan_ = std::make_unique<Plan>(
        Plan{value_of(FeatureMaps::make(spaces, {size.dimension, 0}, 1, 0)), Loss(SquareLoss{})});
    forecast_ = std::make_unique<Forecast>(plan_->maps);
    weights_.assign(size.sample_size, std::vector<float>(2 * std::size_t{size.features}, 0.01F));
    for (std::uint32_t a = 0; a < size.sample_size; ++a) {
      assignment_.held.push_back(
          {a * 3 % static_cast<std::uint32_t>(size.models), weights_[a], a == 0 ? 1.0 : 0.0});
    }
  }

  double predict(std::span<const float> x) {
    predict_with_held(*plan_, assignment_, x, *forecast_);
    return forecast_->output;
  }

  double observe(double y) {
    mean_.begin(assignment_);
    report_held(*plan_, *forecast_, y, mean_);
    report_.clear();
    mean_.report(report_);
    return static_cast<double>(report_.examples.front());
  }

 private:
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Forecast> forecast_;
  std::vector<std::vector<float>> weights_;
  Assignment assignment_;
  BatchMean mean_;
  ReportBatch report_;
};

/// A client of the adaptive schedule that holds models which have learned a little.
class StatisticsClient {
 public:
  explicit StatisticsClient(const Size& size) {
    std::vector<Space> spaces = {Space{.intercept = true}};
    for (std::size_t i = 0; i < size.models; ++i) {
      spaces.push_back({.kind = SpaceKind::gaussian,
                        .intercept = true,
                        .width = std::exp2(static_cast<double>(i) - 1.0),
                        .features = size.features});
    }
    const auto plan = std::make_shared<const Plan>(
        Plan{value_of(FeatureMaps::make(spaces, {size.dimension, 0}, 1, 0)), Loss(SquareLoss{})});
    UploadRule uploads{.rounds = 0, .least = 10000};
    server_ = std::make_unique<StatisticsOms>(std::make_shared<const StatisticsSettings>(
        StatisticsSettings{plan, size.sample_size, uploads, true, 0.0, 1, 0}));
    forecast_ = std::make_unique<Forecast>(server_->new_forecast());
    statistics_ = std::make_unique<BatchStatistics>(server_->new_mean());
    for (std::uint32_t number = 1; number <= 2; ++number) {
      const Batch batch{number, number - 1U, number};
      server_->assign(batch, 0, assignment_);
      statistics_->begin(assignment_);
      if (number == 2) break;
      Stream stream({1, Purpose::test, 1, 0, 0});
      std::vector<float> x(size.dimension);
      for (int n = 0; n < 300; ++n) {
        for (float& value : x) value = static_cast<float>(2.0 * stream.uniform() - 1.0);
        static_cast<void>(predict(x));
        observe(stream.uniform());
      }
      ReportBatch report;
      statistics_->report(report);
      BatchSums sums = server_->new_aggregate();
      server_->aggregate(report, sums);
      server_->step(batch, sums);
    }
  }

  double predict(std::span<const float> x) {
    server_->predict(memory_, assignment_, x, *forecast_);
    return forecast_->output;
  }
  double observe(double y) {
    server_->report(memory_, *forecast_, y, *statistics_);
    return y;
  }

 private:
  std::unique_ptr<StatisticsOms> server_;
  std::unique_ptr<Forecast> forecast_;
  std::unique_ptr<BatchStatistics> statistics_;
  Assignment assignment_;
  StatisticsOms::ClientState memory_;
};

std::vector<std::vector<float>> examples(std::size_t dimension) {
  std::vector<std::vector<float>> rows(256, std::vector<float>(dimension));
  Stream stream({1, Purpose::test, 0, 0, 0});
  for (auto& row : rows) {
    for (float& value : row) value = static_cast<float>(2.0 * stream.uniform() - 1.0);
  }
  return rows;
}

struct Nanoseconds {
  double predict = HUGE_VAL;
  double observe = HUGE_VAL;
};

/// Returns the best pass over all examples. The time of `report` is a difference, since it follows
/// `predict`.
template <class Any>
Nanoseconds time_client(Any& client, const std::vector<std::vector<float>>& rows, double seconds) {
  using Clock = std::chrono::steady_clock;
  volatile double kept = 0.0;
  double both = HUGE_VAL;
  Nanoseconds best;
  const auto per_example = [&](Clock::time_point start) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() /
           static_cast<double>(rows.size());
  };
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
    auto start = Clock::now();
    for (const auto& x : rows) kept = kept + client.predict(x);
    best.predict = std::min(best.predict, per_example(start));
    start = Clock::now();
    for (const auto& x : rows) {
      kept = kept + client.predict(x);
      kept = kept + client.observe(0.5);
    }
    both = std::min(both, per_example(start));
  }
  best.observe = both - best.predict;
  return best;
}

template <class Any>
void measure_client(const Size& size, double seconds) {
  const auto rows = examples(size.dimension);
  const double before = heap_bytes();
  Any client(size);
  static_cast<void>(client.predict(rows.front()));
  static_cast<void>(client.observe(0.5));
  const double memory = heap_bytes() - before;
  const Nanoseconds best = time_client(client, rows, seconds);
  std::printf("{\"predict_ns\": %.1f, \"observe_ns\": %.1f, \"memory_kb\": %.1f}\n", best.predict,
              best.observe, memory / 1e3);
}

void measure(Flags& flags) {
  Size size;
  size.dimension = flags.take("--dimension", size.dimension);
  size.features = flags.take("--features", size.features);
  size.sample_size = flags.take("--sample", size.sample_size);
  size.models = flags.take("--models", size.models);
  const double seconds = flags.take("--seconds", 1.0);
  const bool statistics = flags.take("--statistics", std::size_t{0}) != 0;
  flags.expect_none_left();
  statistics ? measure_client<StatisticsClient>(size, seconds)
             : measure_client<Client>(size, seconds);
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("client_latency", count, words, caucus::bench::measure);
}
