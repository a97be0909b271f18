#include "joining/join_run.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/simulation/labels.hpp"
#include "caucus/wire/connection.hpp"
#include "caucus/wire/eager_poll.hpp"
#include "caucus/wire/one_poller.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

constexpr std::chrono::seconds kGoodbyeAgain(10);  // where a server need not be there any more

/// The server's variant of the arithmetic, if this machine has it.
void follow_arithmetic(const std::string& name, const Log& log) {
  if (name.empty() || simd::select(name).ok()) return;
  write_log(log, LogLevel::warning, "arithmetic",
            {{"server", name}, {"why", "this machine cannot compute so: last digits may differ"}});
}

Result<Dataset> read_rows(const std::string& file, const SharedPlan& plan) {
  CAUCUS_TRY(Dataset data, read_dataset({file}, plan.columns.value_or(ReadOptions{})));
  if (plan.loss.is_classification()) CAUCUS_CHECK(apply_label_convention(data));
  return data;
}

Status check_shape(const Dataset& data, const SharedPlan& plan) {
  if (plan.features == 0 && plan.experts == 0) return Done{};  // the first client tells
  if (data.features() == plan.features && data.experts() == plan.experts) return Done{};
  return data_error(data.name(),
                    "has " + std::to_string(data.features()) + " features and " +
                        std::to_string(data.experts()) + " experts",
                    "the server expects " + std::to_string(plan.features) + " and " +
                        std::to_string(plan.experts));
}

}  // namespace

class JoinRun::Parts {
 public:
  explicit Parts(JoinOptions options) : options_(std::move(options)) {}

  Result<JoinOutcome> play(Progress& progress) {
    if (options_.resume) {
      CAUCUS_TRY(state_, JoinState::load(options_.state_file));
    }
    if (state_ && state_->identity().client != options_.client) {
      return usage_error(options_.state_file, "is of client '" + state_->identity().client + "'",
                         "expected that of '" + options_.client + "'");
    }
    const bool finished = state_ && state_->finished();
    const wire::OnePoller one_poller;
    const wire::EagerPoll eager_poll;
    connection_.emplace(connection_options(), events());
    connection_->start();
    auto outcome = finished ? say_goodbye_again() : take_part(progress);
    connection_->stop();
    if (!outcome.ok() && is_new_ && player_ && player_->played().rows == 0) {
      state_->remove_own();  // of a client that was refused, perhaps for its data
    }
    if (outcome.ok()) {
      outcome->bytes_up = connection_->bytes_up();
      outcome->bytes_down = connection_->bytes_down();
      outcome->connections = connection_->streams();
    }
    return outcome;
  }

  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }

 private:
  [[nodiscard]] wire::ConnectionOptions connection_options() const {
    wire::ConnectionOptions connection;
    connection.server = options_.server;
    connection.tls = options_.tls;
    connection.patience = options_.patience;
    if (state_ && state_->finished()) {
      const bool patient = options_.patience.count() == 0;
      connection.patience = patient ? kGoodbyeAgain : std::min(options_.patience, kGoodbyeAgain);
    }
    connection.hello.client = options_.client;
    connection.hello.token = options_.token;
    connection.hello.software = "caucus join " + version();
    connection.hello.resume = options_.resume;
    if (state_) connection.hello.run = state_->identity().run;
    return connection;
  }

  wire::ConnectionEvents events() {
    wire::ConnectionEvents events;
    events.on_welcome = [this](const WelcomeRecord& welcome) {
      if (others_have_played(welcome)) {
        connection_->give_up(network_error("client '" + options_.client + "'",
                                           "another one of this name has gone on meanwhile",
                                           "expected one at a time; --resume goes on behind it"));
        return;
      }
      const std::lock_guard lock(mutex_);
      if (!welcome_) welcome_ = welcome;
      changed_.notify_all();
    };
    events.on_assignment = [this](AssignmentRecord assignment) {
      const std::lock_guard lock(mutex_);
      newest_ =
          std::move(assignment);  // rows for an older one would be wasted: its batch is closed
      changed_.notify_all();
    };
    events.on_refusal = [this](std::uint64_t batch, const std::string& why) {
      write_log(options_.log, LogLevel::warning, "report refused",
                {{"batch", std::to_string(batch)}, {"why", why}});
    };
    events.on_state = [this](ConnectionState state, const std::string& why) {
      if (state == ConnectionState::failed) return;  // the error says it
      const bool lost = state == ConnectionState::lost;
      const bool here = state == ConnectionState::connecting || state == ConnectionState::connected;
      write_log(options_.log, lost ? LogLevel::warning : LogLevel::info, word_of(state),
                {{"client", options_.client},
                 {here ? "server" : "why", here ? options_.server.text() : why}});
    };
    events.on_over = [this] {
      const std::lock_guard lock(playing_);
      if (!state_ || state_->finished()) return;
      if (const Status status = state_->finish(); !status.ok()) {
        write_log(options_.log, LogLevel::warning, "state", {{"why", status.error().line()}});
      }
    };
    events.on_end = [this](const Status& end) {
      const std::lock_guard lock(mutex_);
      end_ = end;
      changed_.notify_all();
    };
    return events;
  }

  /// Rows are noted before they are reported, so the server has no more of them than are noted
  /// here. The first Welcome may tell of more: see prepare_state().
  bool others_have_played(const WelcomeRecord& welcome) {
    const std::lock_guard lock(playing_);
    return player_ && welcome.examples > state_->next_row();
  }

  /// Until `what`, the end or an interruption; the latter two are errors, but for a good end.
  template <class What>
  Status wait(What&& what) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return what() || end_ || interrupted_; });
    if (end_) return *end_;
    if (!interrupted_) return Done{};
    return network_error("caucus join", "interrupted", "--resume goes on where it was");
  }

  /// It was killed between hearing that the server has all and saying so to whoever started it. The
  /// server may want to hear it too, or serve another run by now; it need not be there.
  Result<JoinOutcome> say_goodbye_again() {
    if (const Status end = wait([] { return false; }); !end.ok()) {
      if (!connection_->out_of_patience()) return end.error();
    }
    JoinOutcome outcome;
    outcome.run = state_->identity().run;
    outcome.rows = outcome.first_row = state_->next_row();
    return outcome;
  }

  Result<JoinOutcome> take_part(Progress& progress) {
    CAUCUS_CHECK(wait([&] { return welcome_.has_value(); }));
    const WelcomeRecord* welcome = welcome_ ? &*welcome_ : nullptr;  // only the first is kept
    if (welcome == nullptr) return network_error("server", "the run is over");
    CAUCUS_CHECK(prepare(*welcome, progress));
    JoinOutcome outcome;
    outcome.run = welcome->run;
    outcome.loss = welcome->plan.loss;
    outcome.rows = data_->rows();
    outcome.first_row = std::min<std::size_t>(state_->next_row(), data_->rows());
    connection_->ready({data_->rows(), data_->features(), data_->experts()});
    while (true) {
      CAUCUS_CHECK(wait([&] { return newest_.has_value(); }));
      const auto assignment = take_assignment();
      if (!assignment) break;
      auto report = [&] {
        const std::lock_guard lock(playing_);
        return player_->answer(*assignment);
      }();
      if (!report.ok()) return std::move(report.error());
      connection_->report(**report);
    }
    outcome.played = player_->played();
    return outcome;
  }

  /// Nothing when all is done.
  std::optional<AssignmentRecord> take_assignment() {
    const std::lock_guard lock(mutex_);
    if (end_) return std::nullopt;
    return std::exchange(newest_, std::nullopt);
  }

  /// Data, models and memory; after this assignments may come.
  Status prepare(const WelcomeRecord& welcome, Progress& progress) {
    SharedPlan plan = welcome.plan;
    follow_arithmetic(plan.arithmetic, options_.log);
    CAUCUS_TRY(data_, read_rows(options_.data_file, plan));
    CAUCUS_CHECK(check_shape(*data_, plan));
    plan.features = data_->features();
    plan.experts = data_->experts();
    CAUCUS_TRY(participant_, Participant::make(plan, welcome.client));
    {
      const std::lock_guard lock(playing_);
      CAUCUS_CHECK(prepare_state(welcome));
    }
    progress.total = data_->rows();
    const std::lock_guard lock(playing_);
    player_.emplace(*data_, *participant_, *state_, progress.done);
    return Done{};
  }

  Status prepare_state(const WelcomeRecord& welcome) {
    JoinIdentity identity{welcome.run, options_.client, fingerprint_of(*data_)};
    if (state_ && state_->identity().data != identity.data) {
      return data_error(options_.data_file, "holds other rows than when it was read before",
                        "expected the same data, or to join without " + options_.state_file);
    }
    if (state_ && state_->next_row() >= welcome.examples) return Done{};
    if (state_) {  // rows are noted before they are reported: the machine has lost some of it
      write_log(options_.log, LogLevel::warning, "state",
                {{"why", options_.state_file + " is older than what the server has; goes on there"},
                 {"row", std::to_string(welcome.examples + 1)}});
    }
    CAUCUS_TRY(state_, JoinState::create(options_.state_file, std::move(identity),
                                         options_.resume ? welcome.examples : 0));
    is_new_ = true;
    return Done{};
  }

  const JoinOptions options_;
  std::mutex playing_;  ///< of the state, which also hears that all is done
  std::optional<JoinState> state_;
  std::optional<Dataset> data_;
  std::unique_ptr<Participant> participant_;
  std::optional<RowPlayer> player_;
  bool is_new_ = false;  ///< the state: this process began it

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::optional<WelcomeRecord> welcome_;
  std::optional<AssignmentRecord> newest_;
  std::optional<Status> end_;
  bool interrupted_ = false;

  std::optional<wire::Connection> connection_;  ///< the last, so that its events end first
};

JoinRun::JoinRun(JoinOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
JoinRun::~JoinRun() = default;

Result<JoinOutcome> JoinRun::play(Progress& progress) { return parts_->play(progress); }
void JoinRun::interrupt() { parts_->interrupt(); }

}  // namespace caucus::cli
