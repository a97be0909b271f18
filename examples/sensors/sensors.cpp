// A plant with eight sensors learns to predict a ninth value together with other plants. By default
// it sends sums over batches of its readings (README.md says what they reveal). The ninth value is
// measured in a laboratory: it arrives some readings later, and not in order.
//
//   sensors HOST:PORT NAME [READINGS] [--resume] [--patience SECONDS]
//           [--token FILE] [--ca FILE --cert FILE --key FILE]
//
// --resume continues after the readings that the server has of this plant; `caucus cert init` makes
// the files.
//
// Nothing is scaled here, so the server's configuration must bound the numbers:
//   [server]
//   clients = ["c01", "c02"]
//   max_abs_target = 2
//   max_feature_norm = 3
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "caucus/client.hpp"
#include "caucus/credentials.hpp"

namespace {

constexpr std::size_t kSensors = 8;
constexpr std::size_t kLaboratory = 6;  // readings until the ninth value is known

struct Reading {
  std::array<float, kSensors> x{};
  double y = 0.0;
};

/// Returns what the plant of this name measures at this time: waves, noise, and a ninth value that
/// depends on them. The result depends on nothing else.
Reading measure(const std::string& plant, std::uint32_t time) {
  const auto seed = std::hash<std::string>{}(plant);
  std::mt19937_64 noise(seed ^ time);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Reading reading;
  for (std::size_t k = 0; k < kSensors; ++k) {
    const double wave = std::sin(0.01 * (1.0 + static_cast<double>(k)) * time);
    reading.x[k] = static_cast<float>(0.8 * wave + 0.2 * uniform(noise));
  }
  const auto x = [&](std::size_t k) { return static_cast<double>(reading.x[k]); };
  reading.y = std::sin(2.0 * x(0)) * x(3) + 0.5 * x(5) + 0.05 * uniform(noise);
  return reading;
}

int fail(const caucus::Error& error) {
  std::fprintf(stderr, "sensors: %s\n", error.line().c_str());
  return static_cast<int>(error.kind);
}

constexpr const char* kUsage =
    "usage: sensors HOST:PORT NAME [READINGS] [--resume] [--patience SECONDS] [--token FILE] "
    "[--ca FILE --cert FILE --key FILE]";

struct Command {
  caucus::ClientOptions options;
  std::uint32_t readings = 2000;
};

caucus::Result<Command> read_command(int argc, char** argv) {
  Command command;
  caucus::ClientOptions& options = command.options;
  options.features = kSensors;
  caucus::TlsFiles keys;
  std::string token, patience = "60", readings = "2000";
  const std::map<std::string, std::string*> flags = {{"--token", &token},
                                                     {"--ca", &keys.ca},
                                                     {"--cert", &keys.cert},
                                                     {"--key", &keys.key},
                                                     {"--patience", &patience}};
  std::string* places[] = {&options.server, &options.name, &readings};
  std::size_t place = 0;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto flag = flags.find(word);
    if (word == "--resume") {
      options.resume = true;
    } else if (flag != flags.end() && k + 1 < argc) {
      *flag->second = argv[++k];
    } else if (word[0] != '-' && place < std::size(places)) {
      *places[place++] = word;
    } else {
      return caucus::usage_error(word, "is not understood", kUsage);
    }
  }
  if (place < 2) return caucus::usage_error("sensors", "no server or name", kUsage);
  std::uint32_t seconds = 0;
  for (const auto& [text, number] :
       {std::pair{&readings, &command.readings}, {&patience, &seconds}}) {
    const char* end = text->data() + text->size();
    if (const auto read = std::from_chars(text->data(), end, *number);
        read.ec != std::errc() || read.ptr != end) {
      return caucus::usage_error(*text, "is not a number", kUsage);
    }
  }
  options.patience = std::chrono::seconds(seconds);
  CAUCUS_TRY(options.tls, caucus::read_tls(keys, {"--cert", "--key", "--ca"}));
  if (!token.empty()) {
    CAUCUS_TRY(const caucus::ClientToken read, caucus::read_token(token, "--token"));
    options.token = read.text;
  }
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a pipe also receives each line at once
  const auto asked = read_command(argc, argv);
  if (!asked.ok()) return fail(asked.error());
  caucus::ClientOptions options = asked->options;
  options.on_state = [](caucus::ConnectionState state, const std::string& why) {
    std::printf("# %s: %s\n", std::string(caucus::word_of(state)).c_str(), why.c_str());
  };
  const auto started = caucus::Client::start(options);
  if (!started.ok()) return fail(started.error());
  caucus::Client& client = **started;
  if (const auto models = client.wait_for_models(std::chrono::hours(1)); !models.ok()) {
    if (client.wait_until_finished(std::chrono::seconds(0)).ok()) {
      std::printf("all readings were counted before\n");
      return 0;
    }
    return fail(models.error());
  }

  struct Waiting {
    std::uint64_t id;
    double forecast, y;
  };
  std::deque<Waiting> laboratory;
  double error = 0.0;
  std::uint32_t known = 0;
  const auto learn = [&](std::size_t place) {
    const Waiting one = laboratory[place];
    laboratory.erase(laboratory.begin() + static_cast<std::ptrdiff_t>(place));
    client.observe(one.id, one.y);
    error += (one.forecast - one.y) * (one.forecast - one.y);
    if (++known % 200 == 0) {
      std::printf("%6u readings  mean squared error %.5f  batch %llu\n", known, error / known,
                  static_cast<unsigned long long>(client.batch()));
    }
  };
  // After a crash the server knows better than this program what was counted.
  const auto first = static_cast<std::uint32_t>(client.counted().value_or(0));
  for (std::uint32_t time = first; time < asked->readings; ++time) {
    const Reading reading = measure(options.name, time);
    const auto prediction = client.predict(reading.x);  // at once, also while the server is away
    if (!prediction.ok()) return fail(prediction.error());
    laboratory.push_back({prediction->id, prediction->output, reading.y});
    if (laboratory.size() > kLaboratory) learn(time % 3);  // not the oldest first
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (!laboratory.empty()) learn(0);
  client.finish();
  if (const auto done = client.wait_until_finished(std::chrono::hours(1)); !done.ok()) {
    return fail(done.error());
  }
  const auto counts = client.counts();
  std::printf("%llu predictions, %llu true values in time, %llu forgotten\n",
              static_cast<unsigned long long>(counts.predictions),
              static_cast<unsigned long long>(counts.observed),
              static_cast<unsigned long long>(counts.forgotten));
}
