// Measures a federation on loopback: synchronous batches per second, the time of a batch, and the
// server's memory per client; or a gRPC echo of the same messages, for comparison.
//   federation [--mode federation|echo|barrier] [--clients M] [--seconds S] [--tls 0|1]
//              [--commit-every N] [--sample J] [--frequencies D]
// The server is a separate process. The clients share another one with the threads of gRPC.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/engine/participant/participant.hpp"
#include "caucus/wire/connection.hpp"
#include "echo.hpp"
#include "federation_server.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

using Clock = std::chrono::steady_clock;

Keys make_keys() {
  const auto validity = Validity::days_from(std::time(nullptr), 1);
  Keys keys{value_of(make_authority(validity)), {}};
  keys.server = value_of(make_server_identity(keys.authority, {"localhost"}, validity));
  return keys;
}

/// One client with its own connection, which answers at once.
class Player {
 public:
  Player(const std::string& address, const std::string& name, std::uint32_t index,
         const std::string& authority)
      : stream_({1, Purpose::test, 0, 0, index}),
        connection_({.server = value_of(parse_address(address, "bench")),
                     .tls = {{}, {}, authority},
                     .hello = {.client = name, .software = "bench"}},
                    events()) {
    connection_.start();
  }
  std::vector<double> gaps() {
    const std::lock_guard lock(mutex_);
    return gaps_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    gaps_.clear();
  }
  void stop() { connection_.stop(); }

 private:
  wire::ConnectionEvents events() {
    return {.on_welcome =
                [this](const WelcomeRecord& welcome) {
                  participant_ = value_of(Participant::make(welcome.plan, welcome.client));
                  connection_.ready({0, kFeatures, 0});
                  return Done{};
                },
            .on_assignment =
                [this](AssignmentRecord assignment) {
                  answer(std::move(assignment));
                  return Done{};
                },
            .on_rejected =
                [](std::uint64_t, const std::string& why) {
                  std::fprintf(stderr, "federation: refused: %s\n", why.c_str());
                },
            .on_state = {},
            .on_finished = {},
            .on_end = {}};
  }
  void answer(AssignmentRecord assignment) {
    const auto now = Clock::now();
    {
      const std::lock_guard lock(mutex_);
      if (last_ != Clock::time_point{}) {
        gaps_.push_back(std::chrono::duration<double>(now - last_).count());
      }
      last_ = now;
    }
    (void)participant_->assign(std::move(assignment));
    float x[kFeatures];
    for (float& value : x) value = static_cast<float>(stream_.uniform());
    const auto prediction = participant_->predict(x);
    participant_->observe(prediction->id, static_cast<double>(x[0]));
    connection_.report(*participant_->take_report(false));
  }

  Stream stream_;
  std::unique_ptr<Participant> participant_;
  std::mutex mutex_;
  std::vector<double> gaps_;
  Clock::time_point last_{};
  wire::Connection connection_;
};

v1::ClientMessage report_message(const Setting& setting) {
  v1::ClientMessage message;
  auto& report = *message.mutable_report();
  report.set_batch(1);
  report.mutable_played()->set_loss(0.1);
  auto& part = *report.add_parts();
  part.set_sampled(1);
  part.set_examples(1);
  for (std::size_t a = 0; a < setting.sample_size; ++a) {
    auto& held = *part.add_held();
    held.set_loss(0.1F);
    for (std::uint32_t k = 0; k < 2 * setting.frequencies; ++k) held.add_gradient(0.1F);
  }
  return message;
}

double quantile(std::vector<double>& values, double q) {
  const auto at = static_cast<std::size_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

void measure(const Setting& setting, const Keys& keys, int told, int tells) {
  ServerFigures figures;
  const auto hear = [&] {
    if (read(told, &figures, sizeof figures) != sizeof figures) {
      throw std::runtime_error("the server ended");
    }
  };
  hear();
  const std::string address = "localhost:" + std::to_string(figures.port);
  const std::string authority = setting.tls ? keys.authority.certificate : std::string();
  std::vector<double> gaps;
  const auto start = std::chrono::duration<double>(0.3);  // warm-up
  if (setting.mode == "federation") {
    std::vector<std::unique_ptr<Player>> players;
    for (std::uint32_t j = 0; j < setting.clients; ++j) {
      players.push_back(std::make_unique<Player>(address, "c" + std::to_string(j), j, authority));
    }
    while (players.front()->gaps().size() < 2) std::this_thread::sleep_for(start / 30);
    std::this_thread::sleep_for(start);
    players.front()->forget();
    std::this_thread::sleep_for(std::chrono::duration<double>(setting.seconds));
    gaps = players.front()->gaps();
    if (write(tells, "?", 1) != 1) throw std::runtime_error("pipe");
    hear();
    for (auto& player : players) player->stop();
  } else {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority;
    gaps = echo(address, setting.clients, report_message(setting),
                std::chrono::duration<double>(setting.seconds),
                setting.tls ? grpc::SslCredentials(options) : grpc::InsecureChannelCredentials());
  }
  const double seconds = std::reduce(gaps.begin(), gaps.end());
  std::printf(
      "{\"batches_per_second\": %.6g, \"mean_us\": %.6g, \"p50_us\": %.6g, \"p99_us\": %.6g, "
      "\"server_kb_per_client\": %.6g}\n",
      static_cast<double>(gaps.size()) / seconds, 1e6 * seconds / static_cast<double>(gaps.size()),
      1e6 * quantile(gaps, 0.5), 1e6 * quantile(gaps, 0.99),
      1e3 * (figures.megabytes_with - figures.megabytes_before) /
          static_cast<double>(setting.clients));
}

void run(Flags& flags) {
  Setting setting;
  setting.mode = flags.take<std::string>("--mode", "federation");
  setting.clients = flags.take("--clients", setting.clients);
  setting.seconds = flags.take("--seconds", setting.seconds);
  setting.tls = flags.take("--tls", 0) != 0;
  setting.commit_every = flags.take("--commit-every", setting.commit_every);
  setting.sample_size = flags.take("--sample", setting.sample_size);
  setting.frequencies = flags.take("--frequencies", setting.frequencies);
  flags.expect_none_left();
  const Keys keys = setting.tls ? make_keys() : Keys{};

  int to_server[2];
  int to_clients[2];
  if (pipe(to_server) != 0 || pipe(to_clients) != 0) throw std::runtime_error("pipe");
  const pid_t server = fork();  // before gRPC starts threads
  if (server == 0) {
    close(to_server[1]);
    close(to_clients[0]);
    serve(setting, keys, to_server[0], to_clients[1]);
    std::_Exit(0);
  }
  close(to_server[0]);
  close(to_clients[1]);
  measure(setting, keys, to_clients[0], to_server[1]);
  close(to_server[1]);  // makes the server exit
  int status = 0;
  waitpid(server, &status, 0);
  if (status != 0) throw std::runtime_error("the server failed");
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("federation", count, words, caucus::bench::run);
}
