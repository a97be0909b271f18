// FOMD-OMS as a researcher would write it in one C++ file: double precision, vectors of vectors,
// the features of every held model computed anew for every client by std::cos and std::sin, and a
// dense step of all K models. It shares no code with caucus and takes the same flags as
// bench/caucus_loop, so that the two can be timed side by side.
//
//   plain_loop --data FILE.f32 [--spaces gaussian|linear] [--models K] [--sample J] [--clients M]
//              [--rounds-per-upload N] [--features D] [--eta E] [--lambda L] [--radius U]
//              [--seconds S] [--least-repetitions R] [--seed SEED]
//
// Repeats the run with new random numbers for S seconds and prints one line of JSON: the best CPU
// time per example and the mean of the MSE.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

struct Options {
  std::string data;
  std::string spaces = "gaussian";
  std::size_t models = 8;             // K
  std::size_t sample_size = 2;        // J
  std::size_t clients = 10;           // M
  std::size_t rounds_per_upload = 1;  // N
  std::size_t features = 100;         // D
  double eta = 16.0;
  double lambda = 1.0;
  double radius = 2.0;  // U of the kernels; linear spaces have radii up to 1
  double seconds = 1.0;
  std::size_t least_repetitions = 3;
  std::uint64_t seed = 1;
};

Options parse(int count, char** words) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) given[words[i]] = words[i + 1];
  if (count % 2 == 0) throw std::runtime_error("expected pairs of --flag value");
  Options options;
  const auto take = [&](const char* flag, auto& value) {
    const auto found = given.find(flag);
    if (found == given.end()) return;
    if constexpr (std::is_same_v<decltype(value), std::string&>) {
      value = found->second;
    } else {
      value = static_cast<std::remove_reference_t<decltype(value)>>(std::stod(found->second));
    }
    given.erase(found);
  };
  take("--data", options.data);
  take("--spaces", options.spaces);
  take("--models", options.models);
  take("--sample", options.sample_size);
  take("--clients", options.clients);
  take("--rounds-per-upload", options.rounds_per_upload);
  take("--features", options.features);
  take("--eta", options.eta);
  take("--lambda", options.lambda);
  take("--radius", options.radius);
  take("--seconds", options.seconds);
  take("--least-repetitions", options.least_repetitions);
  take("--seed", options.seed);
  if (!given.empty()) throw std::runtime_error("unknown flag " + given.begin()->first);
  return options;
}

struct Data {
  Matrix x;
  Vector y;
};

// Two 64-bit numbers, rows and features, then the rows as floats with the target last.
Data read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t size[2] = {};
  file.read(reinterpret_cast<char*>(size), sizeof size);
  if (!file) throw std::runtime_error("cannot read " + path);
  Data data;
  std::vector<float> row(static_cast<std::size_t>(size[1]) + 1);
  for (std::int64_t r = 0; r < size[0]; ++r) {
    file.read(reinterpret_cast<char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
    if (!file) throw std::runtime_error(path + " is cut off");
    data.x.emplace_back(row.begin(), row.end() - 1);
    data.y.push_back(static_cast<double>(row.back()));
  }
  return data;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// One repetition: rows in random order, dealt to the clients; a new base of frequencies.
class Run {
 public:
  Run(const Options& options, const Data& data, std::uint64_t seed)
      : options_(options), random_(seed), p_(options.models, 1.0 / double(options.models)) {
    std::vector<std::size_t> order(data.x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    rounds_ = order.size() / options.clients;
    x_.resize(options.clients);
    y_.resize(options.clients);
    for (std::size_t n = 0; n < rounds_ * options.clients; ++n) {
      x_[n % options.clients].push_back(data.x[order[n]]);
      y_[n % options.clients].push_back(data.y[order[n]]);
    }
    const std::size_t dimension = data.x.front().size();
    if (options.spaces == "gaussian") {
      draw_frequencies(dimension);
    } else {
      for (std::size_t i = 0; i < options.models; ++i) {
        radius_.push_back(double(i + 1) / double(options.models));
      }
    }
    for (std::size_t i = 0; i < options.models; ++i) {
      loss_bound_.push_back(omega_.empty() ? (radius_[i] + 1.0) * (radius_[i] + 1.0)
                                           : radius_[i] + 1.0);
    }
    w_.assign(options.models, Vector(omega_.empty() ? dimension : 2 * options.features, 0.0));
    gradient_ = w_;
    losses_.assign(options.models, 0.0);
  }

  // Everything that is timed. Returns the MSE of the forecasts given.
  double play() {
    double squared_error = 0.0;
    for (std::size_t first = 0; first < rounds_; first += options_.rounds_per_upload) {
      const std::size_t last = std::min(first + options_.rounds_per_upload, rounds_);
      for (Vector& g : gradient_) std::fill(g.begin(), g.end(), 0.0);
      std::fill(losses_.begin(), losses_.end(), 0.0);
      for (std::size_t j = 0; j < options_.clients; ++j) {
        const Report report = play_client(j, sample_models(), first, last);
        squared_error += report.squared_error;
        aggregate(report);
      }
      step_models();
      step_probabilities();
    }
    return squared_error / double(rounds_ * options_.clients);
  }

  std::size_t examples() const { return rounds_ * options_.clients; }

 private:
  void draw_frequencies(std::size_t dimension) {
    std::normal_distribution<double> normal;
    Matrix base(options_.features, Vector(dimension));
    for (Vector& row : base) {
      for (double& value : row) value = normal(random_);
    }
    for (std::size_t i = 0; i < options_.models; ++i) {
      const double place = options_.models > 1 ? double(i) / double(options_.models - 1) : 0.5;
      const double width = std::exp2(-1.0 + 7.0 * place);
      omega_.push_back(base);
      for (Vector& row : omega_.back()) {
        for (double& value : row) value /= width;
      }
      radius_.push_back(options_.radius);
    }
  }

  // A_1 ~ p, the others uniform without replacement from the rest.
  std::vector<std::size_t> sample_models() {
    const std::size_t first =
        std::discrete_distribution<std::size_t>(p_.begin(), p_.end())(random_);
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < options_.models; ++i) {
      if (i != first) rest.push_back(i);
    }
    std::shuffle(rest.begin(), rest.end(), random_);
    std::vector<std::size_t> held = {first};
    held.insert(held.end(), rest.begin(), rest.begin() + std::ptrdiff_t(options_.sample_size) - 1);
    return held;
  }

  Vector features(std::size_t model, const Vector& x) const {
    if (omega_.empty()) return x;
    const std::size_t D = options_.features;
    Vector z(2 * D);
    for (std::size_t k = 0; k < D; ++k) {
      const double angle = dot(omega_[model][k], x);
      z[k] = std::cos(angle) / std::sqrt(double(D));
      z[D + k] = std::sin(angle) / std::sqrt(double(D));
    }
    return z;
  }

  double inclusion(std::size_t i) const {
    if (options_.sample_size == options_.models) return 1.0;
    const auto K = double(options_.models);
    const auto J = double(options_.sample_size);
    return ((K - J) * p_[i] + J - 1.0) / (K - 1.0);
  }

  // What a client sends: the means over the batch of loss and gradient of the models it held.
  struct Report {
    std::vector<std::size_t> held;
    Vector losses;
    Matrix gradients;
    double squared_error = 0.0;  // of the forecasts, which the first model gives
  };

  Report play_client(std::size_t client, const std::vector<std::size_t>& held, std::size_t first,
                     std::size_t last) const {
    Report report{held, Vector(held.size(), 0.0), Matrix(held.size()), 0.0};
    const auto N = double(last - first);
    for (std::size_t a = 0; a < held.size(); ++a) {
      const std::size_t i = held[a];
      report.gradients[a].assign(w_[i].size(), 0.0);
      for (std::size_t t = first; t < last; ++t) {
        const Vector z = features(i, x_[client][t]);
        const double error = dot(w_[i], z) - y_[client][t];
        if (a == 0) report.squared_error += error * error;
        report.losses[a] += error * error / N;
        for (std::size_t k = 0; k < z.size(); ++k) {
          report.gradients[a][k] += 2.0 * error * z[k] / N;
        }
      }
    }
    return report;
  }

  void aggregate(const Report& report) {
    for (std::size_t a = 0; a < report.held.size(); ++a) {
      const std::size_t i = report.held[a];
      const double weight = 1.0 / (double(options_.clients) * inclusion(i));
      losses_[i] += weight * report.losses[a];
      for (std::size_t k = 0; k < gradient_[i].size(); ++k) {
        gradient_[i][k] += weight * report.gradients[a][k];
      }
    }
  }

  void step_models() {
    for (std::size_t i = 0; i < options_.models; ++i) {
      for (std::size_t k = 0; k < w_[i].size(); ++k) {
        w_[i][k] -= options_.lambda * gradient_[i][k];
      }
      const double norm = std::sqrt(dot(w_[i], w_[i]));
      if (norm > radius_[i]) {
        for (double& value : w_[i]) value *= radius_[i] / norm;
      }
    }
  }

  // p_i <- p_i exp(-eta (c_i + nu) / C_i), nu by bisection to 1e-5 as in the authors' scripts.
  void step_probabilities() {
    const auto total = [&](double nu) {
      double sum = 0.0;
      for (std::size_t i = 0; i < p_.size(); ++i) {
        sum += p_[i] * std::exp(-options_.eta * (losses_[i] + nu) / loss_bound_[i]);
      }
      return sum;
    };
    double left = -*std::max_element(losses_.begin(), losses_.end());
    double right = -*std::min_element(losses_.begin(), losses_.end());
    while (right - left > 1e-5) {
      const double middle = 0.5 * (left + right);
      (total(middle) > 1.0 ? left : right) = middle;
    }
    const double nu = 0.5 * (left + right);
    const double sum = total(nu);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      p_[i] *= std::exp(-options_.eta * (losses_[i] + nu) / loss_bound_[i]) / sum;
    }
  }

  const Options& options_;
  std::mt19937_64 random_;
  std::size_t rounds_ = 0;
  std::vector<Matrix> x_;  // [client][round]
  Matrix y_;
  std::vector<Matrix> omega_;  // [model][frequency]; empty for linear spaces
  Vector radius_, loss_bound_;
  Matrix w_, gradient_;
  Vector losses_, p_;
};

int measure(int count, char** words) {
  using Clock = std::chrono::steady_clock;
  const Options options = parse(count, words);
  const Data data = read(options.data);
  double best = HUGE_VAL;
  Vector mses;
  const auto begin = Clock::now();
  while (mses.size() < options.least_repetitions ||
         std::chrono::duration<double>(Clock::now() - begin).count() < options.seconds) {
    Run run(options, data, options.seed + mses.size());
    const std::clock_t start = std::clock();
    mses.push_back(run.play());
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::min(best, seconds / double(run.examples()));
  }
  const double mse = std::accumulate(mses.begin(), mses.end(), 0.0) / double(mses.size());
  double squares = 0.0;
  for (const double value : mses) squares += (value - mse) * (value - mse);
  std::printf(
      "{\"ns_per_example\": %.2f, \"mse\": %.6g, \"mse_error\": %.2g, \"repetitions\": %zu}\n",
      1e9 * best, mse, std::sqrt(squares) / double(mses.size()), mses.size());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return measure(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plain_loop: %s\n", error.what());
    return 2;
  }
}
