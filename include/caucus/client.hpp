// caucus::Client puts a federation into an application:
//
//   auto client = caucus::Client::start({.server = "localhost:7400", .name = "c01",
//                                        .features = 8});
//   auto prediction = (*client)->predict(x);  // at once, with the last models that came
//   (*client)->observe(prediction->id, y);    // whenever y is known, in any order
//   (*client)->finish();                      // no more examples
//
// Messages travel in the background. While the server is away predictions go on from the last
// models, and what is observed is reported when it is back. All functions may be called from any
// thread.
//
// The last 10,000 predictions wait for their true value, or as many as 64 MB of examples hold
// (Participant::kPending, kPendingBytes); the oldest go first. Counts::forgotten counts them.
//
// x and y are taken as they are. Where clients must scale alike, plan().columns has the ranges that
// the server was given, and Scaling (columns.hpp) the arithmetic.
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

/// How a client stands to its server.
enum class ConnectionState {
  connecting,  ///< for the first time
  connected,   ///< the server has welcomed the client
  lost,        ///< it is being tried again
  over,        ///< the server has said that there is nothing more to do
  failed,      ///< refused for good, or given up
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
  std::string token = {};   ///< where the server asks for one
  TlsTexts tls = {};        ///< PEM texts, for example of read_tls; the authority is needed outside
                            ///< of this machine
  bool insecure = false;    ///< no TLS although the server is elsewhere
  std::size_t features = 0;  ///< numbers of x without the experts' forecasts
  std::size_t experts = 0;
  std::uint64_t examples = 0;     ///< that will come in all, not more; 0: it cannot be known
  bool resume = false;            ///< the server may have examples of this client already
  std::optional<RunId> run = {};  ///< that the client took part in before, if it knows
  std::chrono::milliseconds patience{0};  ///< without a server; 0: for ever
  /// Called from another thread; must not destroy the client.
  std::function<void(ConnectionState, const std::string& why)> on_state = {};
  Log log = {};

  [[nodiscard]] Status validate() const;
};

class Client {
 public:
  using Counts = PredictionCounts;

  /// Returns at once; an error is of the options.
  static Result<std::unique_ptr<Client>> start(ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  ~Client();  ///< leaves the server

  /// x has the features, then the experts' forecasts. Never waits; an error until the first models
  /// are there.
  Result<Prediction> predict(std::span<const float> x);
  /// The true value of a prediction. False if it comes too late, comes again or is not finite, or
  /// if nobody will hear of it any more: the run is over, or the client was refused or gave up.
  bool observe(std::uint64_t id, double y);
  /// There will be no more examples: the server need not wait for this client.
  void finish();

  /// Until there are models to predict with; an error if there will be none, or not in time.
  Status wait_for_models(std::chrono::milliseconds timeout);
  /// Until the server has all, or the client was refused or gave up, which is an error.
  Status wait_until_done(std::chrono::milliseconds timeout);

  [[nodiscard]] ConnectionState state() const;
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] std::uint64_t batch() const;  ///< of the models; 0: there are none yet
  // From the first welcome on:
  [[nodiscard]] std::optional<RunId> run() const;
  [[nodiscard]] std::optional<SharedPlan> plan() const;
  /// Examples of this client that the server had at that time: where to go on after a crash.
  [[nodiscard]] std::optional<std::uint64_t> counted() const;

 private:
  class Parts;
  explicit Client(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
