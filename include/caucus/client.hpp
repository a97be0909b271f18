// caucus::Client takes part in a federation from within an application:
//
//   auto client = caucus::Client::start({.server = "localhost:7070", .name = "c01",
//                                        .features = 8});
//   auto prediction = (*client)->predict(x, std::chrono::seconds(10));  // awaits the first models
//   (*client)->observe(prediction->id, y);  // whenever y is known, in any order
//   (*client)->finish();                    // there are no more examples
//
// Messages travel in the background. While the server cannot be reached, predictions continue with
// the last models, and what is observed is reported after the next connection. All functions may be
// called from any thread.
//
// The newest 10,000 predictions, and no more than 64 MB of examples, are kept until their true
// value comes; the oldest are forgotten first (Counts::forgotten). A true value also comes too late
// when the batch of its prediction has closed and plan().label_delay further batches with it.
// Nothing is learned from it; if that happens to most of them, the log says so once.
//
// x and y are taken as they are. If all clients must scale alike, plan().columns has the ranges
// that the server was given, and Scaling (columns.hpp) the arithmetic.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "caucus/credentials.hpp"
#include "caucus/log.hpp"
#include "caucus/plan.hpp"
#include "caucus/prediction.hpp"
#include "caucus/result.hpp"

namespace caucus {

enum class ConnectionState {
  connecting,  ///< for the first time
  connected,   ///< the server has welcomed the client
  lost,        ///< the client reconnects
  over,        ///< the server has all examples, or the run has ended
  failed,      ///< the client was refused, or gave up
};

constexpr std::string_view word_of(ConnectionState state) {
  switch (state) {
    case ConnectionState::connecting:
      return "connecting";
    case ConnectionState::connected:
      return "connected";
    case ConnectionState::lost:
      return "lost";
    case ConnectionState::over:
      return "over";
    case ConnectionState::failed:
      return "failed";
  }
  return "";
}

struct ClientOptions {
  std::string server = {};  ///< HOST:PORT
  std::string name = {};    ///< as the server knows the client
  std::string token = {};   ///< if the server asks for one
  TlsTexts tls = {};      ///< as read_tls gives them; the authority is required except on loopback
  bool insecure = false;  ///< do without TLS although the server is on another machine
  /// Numbers of x without the experts' forecasts. If both are 0, the application first reads the
  /// plan (wait_for_plan) and then says the shape of its examples (ready).
  std::size_t features = 0;
  std::size_t experts = 0;
  std::uint64_t examples = 0;     ///< how many will come in all; 0: unknown
  bool resume = false;            ///< the server may have examples of this client already
  std::optional<RunId> run = {};  ///< the run that the client took part in before, if it knows
  std::chrono::milliseconds patience{0};  ///< gives up after so long without a server; 0: never
  /// The application answers each batch by itself: next_batch(), predict() and observe(), report().
  /// Otherwise a report is sent as soon as a batch has as many observations as the plan asks for.
  bool by_batch = false;
  std::string software = "caucus::Client";  ///< shown in the server's log

  // These are called from threads of the library. They must not destroy or stop the client.
  std::function<void(ConnectionState, const std::string& why)> on_state = {};
  /// At every connection, with the number of this client's examples that the server has. An error
  /// ends the client.
  std::function<Status(std::uint64_t counted)> on_welcome = {};
  /// The server has all. It is told that the client knows only after this has returned.
  std::function<void()> on_over = {};
  Log log = {};

  [[nodiscard]] Status validate() const;
};

/// Models that wait for a report, for a client that answers by itself.
struct OpenBatch {
  std::uint64_t number = 0;
  std::uint64_t durable = 0;  ///< reports up to this batch will never be asked for again
};

struct ClientTraffic {
  std::uint64_t bytes_up = 0, bytes_down = 0;
  std::uint64_t connections = 0;  ///< that the server welcomed
  std::uint64_t repeated = 0;     ///< reports sent again because the server had lost them
};

class Client {
 public:
  using Counts = PredictionCounts;
  static constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

  /// Returns at once; an error is about the options.
  static Result<std::unique_ptr<Client>> start(ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  ~Client();  ///< stops

  /// x has the features, then the experts' forecasts. Never waits; an error until the first models
  /// have come.
  Result<Prediction> predict(std::span<const float> x);
  /// Predicts as above, but waits up to the timeout for the first models.
  Result<Prediction> predict(std::span<const float> x, std::chrono::milliseconds timeout);
  /// The true value of a prediction. False if it comes too late, comes again or is not finite, or
  /// if the run is over for this client.
  bool observe(std::uint64_t id, double y);
  /// There will be no more examples: the server need not wait for this client.
  void finish();
  /// Leaves the server. Every wait ends with an error; predict() still works.
  void stop();

  /// Waits for the first models; an error if none will come, or not in time.
  Status wait_for_models(std::chrono::milliseconds timeout);
  /// Waits until the server has all. It is an error if the client was refused or gave up.
  Status wait_until_done(std::chrono::milliseconds timeout);

  // For a client that learns the shape of its examples from the plan:
  Result<SharedPlan> wait_for_plan(std::chrono::milliseconds timeout);
  /// From now on batches wait for this client.
  Status ready(std::uint64_t examples, std::size_t features, std::size_t experts);

  // For a client that answers by itself (ClientOptions::by_batch):
  /// Waits for a batch that this client has not answered and holds its models from then on. Nothing
  /// if the server has all. Reports that the server has lost are sent again meanwhile.
  Result<std::optional<OpenBatch>> next_batch();
  /// Sends what was observed since next_batch(). `last`: there will be no more examples.
  Status report(bool last);

  [[nodiscard]] ConnectionState state() const;
  [[nodiscard]] bool out_of_patience() const;  ///< the reason why it failed
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] ClientTraffic traffic() const;
  [[nodiscard]] std::uint64_t batch() const;  ///< of the models; 0: there are none yet
  // Known from the first welcome on:
  [[nodiscard]] std::optional<RunId> run() const;
  [[nodiscard]] std::optional<SharedPlan> plan() const;
  /// Examples of this client that the server had at that time: where to continue after a crash.
  [[nodiscard]] std::optional<std::uint64_t> counted() const;

 private:
  class Parts;
  explicit Client(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
