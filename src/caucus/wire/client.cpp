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
#include "caucus/wire/late_labels.hpp"

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

wire::ConnectionOptions connection_options(const ClientOptions& options, Address server) {
  wire::ConnectionOptions connection;
  connection.server = std::move(server);
  connection.tls = options.tls;
  connection.hello.client = options.name;
  connection.hello.token = options.token;
  connection.hello.software = options.software;
  connection.hello.run = options.run;
  connection.hello.resume = options.resume;
  connection.patience = options.patience;
  return connection;
}

}  // namespace

Status ClientOptions::validate() const {
  CAUCUS_TRY(const Address address, parse_server_address(server, "server"));
  CAUCUS_CHECK(check_client_name(name, "client"));
  CAUCUS_CHECK(check_security(address, tls, insecure));
  if (patience.count() < 0) {
    return usage_error("client", "negative patience", "expected a time, or 0 for ever");
  }
  return Done{};
}

class Client::Parts {
 public:
  Parts(ClientOptions options, Address server) : options_(std::move(options)) {
    connection_.emplace(connection_options(options_, std::move(server)), events());
  }

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) = delete;
  Parts& operator=(Parts&&) = delete;
  ~Parts() { connection_->stop(); }  // its events use all members

  void start() { connection_->start(); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    connection_->stop();
  }

  // --- examples ---

  Result<Prediction> predict(std::span<const float> x) const {
    Participant* participant = participant_if_any();
    if (participant != nullptr) return participant->predict(x);
    return network_error("predict", "there are no models yet", "expected to wait for them");
  }

  bool observe(std::uint64_t id, double y) {
    Participant* participant = participant_if_any();
    if (participant == nullptr || (ended() && !options_.by_batch)) return false;
    const bool in_time = participant->observe(id, y);
    late_labels_.count(in_time, participant->plan().label_delay, options_.log);
    if (in_time && !options_.by_batch && participant->ready()) offer_report();
    return in_time;
  }

  void finish() {
    {
      const std::lock_guard lock(mutex_);
      finishing_ = true;
    }
    if (!options_.by_batch) offer_report();
  }

  // --- waiting ---

  template <class What>
  Status wait(std::chrono::milliseconds timeout, const char* waited_for, What&& what) {
    std::unique_lock lock(mutex_);
    const auto over = [&] { return what() || end_ || stopped_; };
    bool came = true;
    if (timeout == kForever) {
      changed_.wait(lock, over);
    } else {
      came = changed_.wait_for(lock, timeout, over);
    }
    if (end_ && !end_->ok()) return end_->error();
    if (came && what()) return Done{};
    if (end_) return network_error("server", "the run is over");
    return network_error("client '" + options_.name + "'",
                         stopped_ ? "was stopped" : std::string("no ") + waited_for + " in time");
  }
  Status wait_for_models(std::chrono::milliseconds timeout) {
    return wait(timeout, "models", [&] { return participant_ && participant_->batch() > 0; });
  }
  Status wait_until_done(std::chrono::milliseconds timeout) {
    return wait(timeout, "end", [&] { return end_.has_value(); });
  }
  Result<SharedPlan> wait_for_plan(std::chrono::milliseconds timeout) {
    CAUCUS_CHECK(wait(timeout, "plan", [&] { return welcome_.has_value(); }));
    return *plan();
  }

  // --- batches that the application answers ---

  Result<std::optional<OpenBatch>> next_batch() {
    while (true) {
      CAUCUS_CHECK(wait(kForever, "batch", [&] { return newest_ || end_; }));
      std::optional<AssignmentRecord> assignment;
      {
        const std::lock_guard lock(mutex_);
        if (end_) return std::optional<OpenBatch>();
        assignment = std::exchange(newest_, std::nullopt);
        if (server_start_) participant_->served_by(server_start_->start, server_start_->since);
        server_start_.reset();
      }
      if (!assignment) continue;
      const OpenBatch open{assignment->batch, assignment->durable};
      CAUCUS_TRY(const bool repeated, assign(std::move(*assignment)));
      if (!repeated) return std::optional<OpenBatch>(open);
    }
  }

  Status report(bool last) {
    Participant* participant = participant_if_any();
    const auto report = participant == nullptr ? nullptr : participant->take_report(last);
    if (report == nullptr) {
      return usage_error("report", "no batch is open", "expected next_batch() before each report");
    }
    connection_->report(*report);
    return Done{};
  }

  Status ready(std::uint64_t examples, std::size_t features, std::size_t experts) {
    std::optional<WelcomeRecord> welcome;
    {
      const std::lock_guard lock(mutex_);
      welcome = welcome_;
    }
    if (!welcome) return usage_error("ready", "there is no plan yet", "expected to wait for it");
    if (features + experts == 0) {
      return usage_error("client", "examples without numbers", "expected features or experts");
    }
    CAUCUS_TRY(const SharedPlan plan, with_shape(welcome->plan, features, experts));
    CAUCUS_TRY(auto participant, Participant::make(plan, welcome->client));
    if (!plan.arithmetic.empty() && plan.arithmetic != simd::kernels().name) {
      write_log(options_.log, LogLevel::warning, "arithmetic",
                {{"server", plan.arithmetic},
                 {"why", "this program computes with " + std::string(simd::kernels().name) +
                             ": last digits may differ"}});
    }
    {
      const std::lock_guard lock(mutex_);
      if (participant_) return usage_error("ready", "comes again", "expected it once");
      participant_ = std::move(participant);
      participant_->served_by(server_start_->start, server_start_->since);
      server_start_.reset();
    }
    connection_->ready({examples, features, experts});
    return Done{};
  }

  // --- what is to be seen ---

  Participant* participant_if_any() const {
    const std::lock_guard lock(mutex_);
    return participant_.get();  // once made it stays
  }
  bool ended() const {
    const std::lock_guard lock(mutex_);
    return end_ || stopped_;
  }
  ConnectionState state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  std::optional<RunId> run() const {
    const std::lock_guard lock(mutex_);
    if (!welcome_) return std::nullopt;
    return welcome_->run;
  }
  std::optional<std::uint64_t> counted() const {
    const std::lock_guard lock(mutex_);
    if (!welcome_) return std::nullopt;
    return welcome_->examples;
  }
  std::optional<SharedPlan> plan() const {
    const std::lock_guard lock(mutex_);
    if (participant_) return participant_->plan();
    if (!welcome_) return std::nullopt;
    return welcome_->plan;
  }
  bool out_of_patience() const { return connection_->out_of_patience(); }
  ClientTraffic traffic() const {
    const std::lock_guard lock(mutex_);
    return {connection_->bytes_up(), connection_->bytes_down(), connection_->streams(), repeated_};
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
      change_state(state, why);
    };
    events.on_over = options_.on_over;
    events.on_end = [this](const Status& end) {
      const std::lock_guard lock(mutex_);
      end_ = end;
      changed_.notify_all();
    };
    return events;
  }

  void change_state(ConnectionState state, const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      state_ = state;
    }
    LogLevel level = LogLevel::info;
    if (state == ConnectionState::lost) level = LogLevel::warning;
    if (state == ConnectionState::failed) level = LogLevel::error;
    const bool names_server =
        state == ConnectionState::connecting || state == ConnectionState::connected;
    write_log(options_.log, level, word_of(state),
              {{"client", options_.name}, {names_server ? "server" : "why", why}});
    if (options_.on_state) options_.on_state(state, why);
  }

  Status be_welcomed(const WelcomeRecord& welcome) {
    if (options_.on_welcome) CAUCUS_CHECK(options_.on_welcome(welcome.examples));
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = !welcome_;
      if (first) welcome_ = welcome;
      newest_.reset();  // the server sends it again
      if (participant_ && !options_.by_batch) {
        participant_->served_by(welcome.start, welcome.since);
      } else {
        server_start_ = ServerStart{welcome.start, welcome.since};
      }
      changed_.notify_all();
    }
    const bool shape_is_known = options_.features + options_.experts > 0;
    if (!first || !shape_is_known) return Done{};
    return ready(options_.examples, options_.features, options_.experts);
  }

  Status take(AssignmentRecord assignment) {
    if (options_.by_batch) {
      const std::lock_guard lock(mutex_);
      // Only the newest counts: a report for an older batch would come after it has closed.
      newest_ = std::move(assignment);
      changed_.notify_all();
      return Done{};
    }
    CAUCUS_TRY([[maybe_unused]] const bool repeated, assign(std::move(assignment)));
    {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    }
    offer_report();
    return Done{};
  }

  /// True if the client had answered this assignment before, and has now done so again.
  Result<bool> assign(AssignmentRecord assignment) {
    Participant* participant = participant_if_any();
    if (participant == nullptr) return true;
    const std::lock_guard reporting(reporting_);
    CAUCUS_TRY(const auto again, participant->assign(std::move(assignment)));
    if (again == nullptr) return false;
    connection_->report(*again);
    const std::lock_guard lock(mutex_);
    ++repeated_;
    return true;
  }

  /// Sends a report if the open batch has enough observations, or there will be no more.
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
  wire::LateLabels late_labels_;
  std::mutex reporting_;  ///< one decision about the open batch at a time; locked before mutex_

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::unique_ptr<Participant> participant_;
  std::optional<WelcomeRecord> welcome_;  ///< the first
  struct ServerStart {
    std::uint64_t start = 0, since = 0;
  };
  std::optional<ServerStart> server_start_;  ///< that the participant has not been told of
  std::optional<AssignmentRecord> newest_;
  ConnectionState state_ = ConnectionState::connecting;
  bool finishing_ = false, stopped_ = false;
  std::uint64_t repeated_ = 0;
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
Result<Prediction> Client::predict(std::span<const float> x, std::chrono::milliseconds timeout) {
  CAUCUS_CHECK(parts_->wait_for_models(timeout));
  return parts_->predict(x);
}
bool Client::observe(std::uint64_t id, double y) { return parts_->observe(id, y); }
void Client::finish() { parts_->finish(); }
void Client::stop() { parts_->stop(); }
Status Client::wait_for_models(std::chrono::milliseconds timeout) {
  return parts_->wait_for_models(timeout);
}
Status Client::wait_until_done(std::chrono::milliseconds timeout) {
  return parts_->wait_until_done(timeout);
}
Result<SharedPlan> Client::wait_for_plan(std::chrono::milliseconds timeout) {
  return parts_->wait_for_plan(timeout);
}
Status Client::ready(std::uint64_t examples, std::size_t features, std::size_t experts) {
  return parts_->ready(examples, features, experts);
}
Result<std::optional<OpenBatch>> Client::next_batch() { return parts_->next_batch(); }
Status Client::report(bool last) { return parts_->report(last); }

ConnectionState Client::state() const { return parts_->state(); }
bool Client::out_of_patience() const { return parts_->out_of_patience(); }
Client::Counts Client::counts() const {
  const Participant* participant = parts_->participant_if_any();
  return participant == nullptr ? Counts{} : participant->counts();
}
ClientTraffic Client::traffic() const { return parts_->traffic(); }
std::uint64_t Client::batch() const {
  const Participant* participant = parts_->participant_if_any();
  return participant == nullptr ? 0 : participant->batch();
}
std::optional<RunId> Client::run() const { return parts_->run(); }
std::optional<std::uint64_t> Client::counted() const { return parts_->counted(); }
std::optional<SharedPlan> Client::plan() const { return parts_->plan(); }

}  // namespace caucus
