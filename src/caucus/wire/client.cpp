#include "caucus/client.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/federation/participant.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/connection_security.hpp"
#include "caucus/wire/connection.hpp"

namespace caucus {
namespace {

/// The plan with the shape of the client's examples, which must be the server's if it has one.
Result<SharedPlan> with_shape(SharedPlan plan, std::size_t features, std::size_t experts) {
  const bool open = plan.features == 0 && plan.experts == 0;
  if (!open && (plan.features != features || plan.experts != experts)) {
    return usage_error("client",
                       "examples of " + std::to_string(features) + " features and " +
                           std::to_string(experts) + " experts",
                       "the server expects " + std::to_string(plan.features) + " and " +
                           std::to_string(plan.experts));
  }
  plan.features = features;
  plan.experts = experts;
  return plan;
}

}  // namespace

Status ClientOptions::validate() const {
  CAUCUS_TRY(const Address address, parse_server_address(server, "server"));
  CAUCUS_CHECK(check_client_name(name, "client"));
  CAUCUS_CHECK(check_security(address, tls, insecure));
  if (features + experts == 0) {
    return usage_error("client", "examples without numbers", "expected features or experts");
  }
  if (patience.count() < 0) {
    return usage_error("client", "negative patience", "expected a time, or 0 for ever");
  }
  return Done{};
}

class Client::Parts {
 public:
  Parts(ClientOptions options, Address server) : options_(std::move(options)) {
    wire::ConnectionOptions connection;
    connection.server = std::move(server);
    connection.tls = options_.tls;
    connection.hello.client = options_.name;
    connection.hello.token = options_.token;
    connection.hello.software = "caucus::Client";
    connection.hello.run = options_.run;
    connection.hello.resume = options_.resume;
    connection.patience = options_.patience;
    connection_.emplace(std::move(connection), events());
  }

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) = delete;
  Parts& operator=(Parts&&) = delete;
  ~Parts() { connection_->stop(); }  // its events use all of this

  void start() { connection_->start(); }

  Result<Prediction> predict(std::span<const float> x) const {
    Participant* participant = participant_if_any();
    if (participant != nullptr) return participant->predict(x);
    return network_error("predict", "there are no models yet", "expected to wait for them");
  }

  bool observe(std::uint64_t id, double y) {
    Participant* participant = participant_if_any();
    if (participant == nullptr || ended() || !participant->observe(id, y)) return false;
    if (participant->ready()) offer_report();
    return true;
  }

  void finish() {
    {
      const std::lock_guard lock(mutex_);
      finishing_ = true;
    }
    offer_report();
  }

  template <class What>
  Status wait(std::chrono::milliseconds timeout, const char* waited_for, What&& what) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, timeout, [&] { return what() || end_; });
    if (end_ && !end_->ok()) return end_->error();
    if (came && what()) return Done{};
    return network_error("client '" + options_.name + "'",
                         std::string("no ") + waited_for + (came ? " will come" : " in time"));
  }
  Status wait_for_models(std::chrono::milliseconds timeout) {
    return wait(timeout, "models", [&] { return participant_ && participant_->batch() > 0; });
  }
  Status wait_until_done(std::chrono::milliseconds timeout) {
    return wait(timeout, "end", [&] { return end_.has_value(); });
  }

  Participant* participant_if_any() const {
    const std::lock_guard lock(mutex_);
    return participant_.get();  // once made it stays
  }
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return end_.has_value();
  }
  ConnectionState state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  std::optional<RunId> run() const {
    const std::lock_guard lock(mutex_);
    return run_;
  }
  std::optional<std::uint64_t> counted() const {
    const std::lock_guard lock(mutex_);
    return counted_;
  }

 private:
  wire::ConnectionEvents events() {
    wire::ConnectionEvents events;
    events.on_welcome = [this](const WelcomeRecord& welcome) {
      if (auto status = be_welcomed(welcome); !status.ok()) connection_->give_up(status.error());
    };
    events.on_assignment = [this](AssignmentRecord assignment) {
      if (auto status = take(std::move(assignment)); !status.ok())
        connection_->give_up(status.error());
    };
    events.on_refusal = [this](std::uint64_t batch, const std::string& why) {
      write_log(options_.log, LogLevel::warning, "report refused",
                {{"batch", std::to_string(batch)}, {"why", why}});
    };
    events.on_state = [this](ConnectionState state, const std::string& why) {
      {
        const std::lock_guard lock(mutex_);
        state_ = state;
      }
      write_log(options_.log, LogLevel::info, word_of(state), {{"why", why}});
      if (options_.on_state) options_.on_state(state, why);
    };
    events.on_end = [this](const Status& end) {
      const std::lock_guard lock(mutex_);
      end_ = end;
      changed_.notify_all();
    };
    return events;
  }

  Status be_welcomed(const WelcomeRecord& welcome) {
    if (Participant* participant = participant_if_any()) {
      participant->served_by(welcome.start, welcome.since);
      return Done{};
    }
    CAUCUS_TRY(const SharedPlan plan,
               with_shape(welcome.plan, options_.features, options_.experts));
    CAUCUS_TRY(auto participant, Participant::make(plan, welcome.client));
    participant->served_by(welcome.start, welcome.since);
    {
      const std::lock_guard lock(mutex_);
      participant_ = std::move(participant);
      run_ = welcome.run;
      counted_ = welcome.examples;
    }
    if (!plan.arithmetic.empty() && plan.arithmetic != simd::kernels().name) {
      write_log(options_.log, LogLevel::warning, "arithmetic",
                {{"server", plan.arithmetic},
                 {"why", "this program computes otherwise, last digits may differ; CAUCUS_SIMD=" +
                             plan.arithmetic + " changes it"}});
    }
    connection_->ready({options_.examples, options_.features, options_.experts});
    return Done{};
  }

  Status take(AssignmentRecord assignment) {
    Participant* participant = participant_if_any();
    if (participant == nullptr) return Done{};
    {
      const std::lock_guard reporting(reporting_);
      CAUCUS_TRY(const auto again, participant->assign(std::move(assignment)));
      if (again) connection_->report(*again);
    }
    {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    }
    offer_report();
    return Done{};
  }

  /// If the open batch has what it needs, or there will be no more.
  void offer_report() {
    const std::lock_guard reporting(reporting_);
    Participant* participant = nullptr;
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      participant = participant_.get();
      last = finishing_;
    }
    if (participant == nullptr || !(last || participant->ready())) return;
    if (const auto report = participant->take_report(last)) connection_->report(*report);
  }

  const ClientOptions options_;
  std::mutex reporting_;  ///< one decision about the open batch at a time; locked before the other

  mutable std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::unique_ptr<Participant> participant_;
  std::optional<RunId> run_;
  std::optional<std::uint64_t> counted_;
  ConnectionState state_ = ConnectionState::connecting;
  bool finishing_ = false;
  std::optional<Status> end_;

  std::optional<wire::Connection> connection_;
};

Result<std::unique_ptr<Client>> Client::start(ClientOptions options) {
  CAUCUS_CHECK(options.validate());
  CAUCUS_TRY(Address server, parse_server_address(options.server, "server"));
  auto parts = std::make_unique<Parts>(std::move(options), std::move(server));
  parts->start();
  return std::unique_ptr<Client>(new Client(std::move(parts)));
}

Client::Client(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Client::~Client() = default;

Result<Prediction> Client::predict(std::span<const float> x) { return parts_->predict(x); }
bool Client::observe(std::uint64_t id, double y) { return parts_->observe(id, y); }
void Client::finish() { parts_->finish(); }
Status Client::wait_for_models(std::chrono::milliseconds timeout) {
  return parts_->wait_for_models(timeout);
}
Status Client::wait_until_done(std::chrono::milliseconds timeout) {
  return parts_->wait_until_done(timeout);
}
ConnectionState Client::state() const { return parts_->state(); }
Client::Counts Client::counts() const {
  const Participant* participant = parts_->participant_if_any();
  return participant == nullptr ? Counts{} : participant->counts();
}
std::uint64_t Client::batch() const {
  const Participant* participant = parts_->participant_if_any();
  return participant == nullptr ? 0 : participant->batch();
}
std::optional<RunId> Client::run() const { return parts_->run(); }
std::optional<std::uint64_t> Client::counted() const { return parts_->counted(); }
std::optional<SharedPlan> Client::plan() const {
  const Participant* participant = parts_->participant_if_any();
  if (participant == nullptr) return std::nullopt;
  return participant->plan();
}

}  // namespace caucus
