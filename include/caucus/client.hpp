// caucus::Client takes part in a federation from within an application:
//
//   auto client = caucus::Client::start({.server = "localhost:7070", .name = "c01",
//                                        .features = 8});
//   auto prediction = (*client)->predict(x, std::chrono::seconds(10));  // waits for models
//   (*client)->observe(prediction->id, y);  // whenever y is known, in any order
//   (*client)->finish();                    // there are no more examples
//
// Messages travel in the background. While the server cannot be reached, predictions continue with
// the last models, and what is observed is reported after the next connection. All functions may be
// called from any thread.
//
// The newest 10,000 predictions, and no more than 64 MB of examples, are kept until their true
// value comes; the oldest are forgotten first (Counts::forgotten). A true value is also too late if
// the batch of its prediction and plan()->label_delay batches after it have closed. Nothing is
// learned from it. If nine of ten true values come too late, the log has one warning.
//
// x and y are used as they are. If all clients must scale in the same way, plan()->columns has the
// ranges that the server was given, and scale_to() (columns.hpp) has the formula.
#pragma once

#include <array>
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
#include "caucus/experts.hpp"
#include "caucus/log.hpp"
#include "caucus/plan.hpp"
#include "caucus/prediction.hpp"
#include "caucus/result.hpp"

namespace caucus {

enum class ConnectionState {
  connecting,    ///< the client has not been connected before
  connected,     ///< the server has accepted the client
  disconnected,  ///< the connection broke, and the client reconnects
  finished,      ///< the server has all examples of this client, or the run has finished
  failed,        ///< the server refused the client, or the client gave up
};

constexpr std::string_view word_of(ConnectionState state) {
  constexpr std::array<std::string_view, 5> kWords = {"connecting", "connected", "disconnected",
                                                      "finished", "failed"};
  return kWords[static_cast<std::size_t>(state)];
}

struct ClientOptions {
  std::string server = {};  ///< HOST:PORT
  std::string name = {};    ///< the client's name in the server's list
  std::string token = {};   ///< required if the server has a list of tokens
  TlsTexts tls = {};        ///< the result of read_tls(); `ca` is required except on loopback
  bool insecure = false;    ///< allows a server on another machine without TLS
  /// The numbers of features and of experts' predictions in x. If both are 0, the application reads
  /// the plan (wait_for_plan) and then gives these numbers (ready).
  std::size_t features = 0;
  std::size_t experts = 0;
  /// If given, x has the features only, and the experts are asked when they are held.
  ExpertCallback ask = {};
  std::uint64_t examples = 0;     ///< the total number of examples; 0 if it is not known
  bool resume = false;            ///< the server may have examples of this client already
  std::optional<RunId> run = {};  ///< the run in which the client took part before, if it is known
  std::chrono::milliseconds patience{0};  ///< how long to retry without a server; 0 means for ever
  /// The application calls next_batch(), predict() and observe(), and report() for each batch. If
  /// false, a report is sent as soon as a batch has as many true values as the plan asks for.
  bool by_batch = false;
  std::string software = "caucus::Client";  ///< shown in the server's log

  // These are called from threads of the library. They must not destroy or stop the client.
  std::function<void(ConnectionState, const std::string& why)> on_state = {};
  /// Called at every connection with the number of this client's examples that the server has. If
  /// it returns an error, the client ends.
  std::function<Status(std::uint64_t counted)> on_welcome = {};
  /// Called when the server has all examples of this client, before that is acknowledged.
  std::function<void()> on_finished = {};
  Log log = {};

  [[nodiscard]] Status validate() const;
};

/// A batch for which the server waits for a report (ClientOptions::by_batch).
struct OpenBatch {
  std::uint64_t number = 0;
  std::uint64_t durable = 0;   ///< the server will not ask again for reports up to this batch
  std::uint64_t examples = 0;  ///< the examples that the server asks for
};

struct ClientTraffic {
  std::uint64_t bytes_up = 0, bytes_down = 0;
  std::uint64_t connections = 0;  ///< connections that the server accepted
  std::uint64_t repeated = 0;     ///< reports sent again because the server had lost them
};

class Client {
 public:
  using Counts = PredictionCounts;
  static constexpr std::chrono::milliseconds kForever = std::chrono::milliseconds::max();

  /// Returns at once. It returns an error only if the options are wrong.
  static Result<std::unique_ptr<Client>> start(ClientOptions options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  ~Client();  ///< calls stop()

  /// Predicts for x, which has the features and then the experts' predictions, unless these are
  /// asked (ClientOptions::ask); `example` is then a part of the questions. It does not wait, and
  /// returns an error until the first models have arrived.
  Result<Prediction> predict(std::span<const float> x, std::uint64_t example = 0);
  /// Predicts as above, but waits up to the timeout for the first models.
  Result<Prediction> predict(std::span<const float> x, std::chrono::milliseconds timeout,
                             std::uint64_t example = 0);
  /// Gives the true value of a prediction. Returns false if it is too late, was given before or is
  /// not finite, if as many were given as a report of these models may have, or if the client has
  /// finished.
  bool observe(std::uint64_t id, double y);
  /// Says that there will be no more examples, so that the server need not wait for this client.
  void finish();
  /// Disconnects from the server. Every wait ends with an error; predict() still works.
  void stop();

  /// Waits for the first models. Returns an error if they do not arrive in time or cannot arrive.
  Status wait_for_models(std::chrono::milliseconds timeout);
  /// Waits until the server has all examples of this client. Returns an error if that took too
  /// long, or if the client was refused or gave up.
  Status wait_until_finished(std::chrono::milliseconds timeout);

  // For a client that learns the shape of its examples from the plan:
  Result<SharedPlan> wait_for_plan(std::chrono::milliseconds timeout);
  /// Gives the shape of the examples. From then on batches wait for this client.
  /// `clipped` examples have a value outside the ranges of the plan; the server shows the number.
  Status ready(std::uint64_t examples, std::size_t features, std::size_t experts,
               std::uint64_t clipped = 0);

  // For a client that sends its reports by itself (ClientOptions::by_batch):
  /// Waits for a batch without a report of this client and predicts with its models from then on.
  /// Returns nullopt if the server has all examples of this client. Lost reports are sent again.
  Result<std::optional<OpenBatch>> next_batch();
  /// Returns whether the batch may be reported: it has as many true values as the server asks for,
  /// or enough of them since the data have changed.
  [[nodiscard]] bool batch_is_full() const;
  /// Reports what was observed since next_batch(). `last` says that no more examples will come.
  Status report(bool last);

  // The personal layer corrects the forecasts by what it learns from this client's own examples.
  // It is never sent, so an application that restarts keeps it itself:
  /// Returns its state; empty before ready() and if the plan has no personal layer.
  [[nodiscard]] std::string personal_state() const;
  /// Continues from such a state; an empty one begins anew. Call it after ready(). The layer does
  /// not learn from predictions that wait for their true value at this time.
  Status restore_personal(std::string_view state);

  [[nodiscard]] ConnectionState state() const;
  [[nodiscard]] bool out_of_patience() const;  ///< true if it failed for lack of a server
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] ClientTraffic traffic() const;
  [[nodiscard]] std::uint64_t batch() const;  ///< of the current models; 0 before the first
  // These are known after the first connection:
  [[nodiscard]] std::optional<RunId> run() const;
  [[nodiscard]] std::optional<SharedPlan> plan() const;
  /// The number of examples of this client that the server had then: continue there after a crash.
  [[nodiscard]] std::optional<std::uint64_t> counted() const;

 private:
  class Parts;
  explicit Client(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
