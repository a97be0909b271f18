#include "joining/join_run.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "caucus/client.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/simulation/labels.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

/// How long a client that has heard the end before looks for a server that need not be there.
constexpr std::chrono::seconds kGoodbyeAgain(10);

Result<Dataset> read_rows(const std::string& file, const SharedPlan& plan) {
  CAUCUS_TRY(Dataset data, read_dataset({file}, plan.columns.value_or(ReadOptions{})));
  if (plan.loss.is_classification()) CAUCUS_CHECK(apply_label_convention(data));
  return data;
}

Status check_shape(const Dataset& data, const SharedPlan& plan) {
  if (plan.features == 0 && plan.experts == 0) return Done{};  // the first client says
  if (data.features() == plan.features && data.experts() == plan.experts) return Done{};
  return data_error(data.name(),
                    "has " + std::to_string(data.features()) + " features and " +
                        std::to_string(data.experts()) + " experts",
                    "the server expects " + std::to_string(plan.features) + " and " +
                        std::to_string(plan.experts));
}

/// The command's error says why it failed, so the log need not.
Log without_failure(Log log) {
  if (!log) return log;
  return [log = std::move(log)](LogLevel level, std::string_view event,
                                std::initializer_list<LogField> fields) {
    if (event != word_of(ConnectionState::failed)) log(level, event, fields);
  };
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
    CAUCUS_TRY(auto started, Client::start(client_options()));
    Client& client = *started;
    {
      const std::lock_guard lock(mutex_);
      client_ = std::move(started);
      if (interrupted_) return interruption();
    }
    auto outcome = finished ? say_goodbye_again(client) : take_part(client, progress);
    client.stop();
    if (!outcome.ok() && is_new_ && player_ && player_->played().rows == 0) {
      state_->remove_own();  // the client was refused, perhaps for its data
    }
    const std::lock_guard lock(mutex_);
    if (!outcome.ok()) return interrupted_ ? interruption() : std::move(outcome.error());
    const ClientTraffic traffic = client.traffic();
    outcome->bytes_up = traffic.bytes_up;
    outcome->bytes_down = traffic.bytes_down;
    outcome->connections = traffic.connections;
    outcome->played.again = traffic.repeated;
    return outcome;
  }

  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    if (client_) client_->stop();
  }

 private:
  static Error interruption() {
    return network_error("caucus join", "interrupted", "--resume goes on where it was");
  }

  [[nodiscard]] ClientOptions client_options() {
    ClientOptions client;
    client.server = options_.server.text();
    client.name = options_.client;
    client.token = options_.token;
    client.tls = options_.tls;
    client.insecure = options_.tls.ca.empty();  // the command has checked that this is meant
    client.resume = options_.resume;
    client.software = "caucus join " + version();
    client.by_batch = true;
    client.patience = options_.patience;
    if (state_) client.run = state_->identity().run;
    if (state_ && state_->finished()) {
      const bool patient = options_.patience.count() == 0;
      client.patience = patient ? kGoodbyeAgain : std::min(options_.patience, kGoodbyeAgain);
    }
    client.on_welcome = [this](std::uint64_t counted) { return check_alone(counted); };
    client.on_over = [this] {
      const std::lock_guard lock(playing_);
      if (!state_ || state_->finished()) return;
      if (const Status status = state_->finish(); !status.ok()) {
        write_log(options_.log, LogLevel::warning, "state", {{"why", status.error().line()}});
      }
    };
    client.log = without_failure(options_.log);
    return client;
  }

  /// Rows are noted before they are reported, so the server has no more of them than are noted
  /// here. The first welcome may count more: see prepare_state().
  Status check_alone(std::uint64_t counted) {
    const std::lock_guard lock(playing_);
    if (!player_ || counted <= state_->next_row()) return Done{};
    return network_error("client '" + options_.client + "'",
                         "another one of this name has gone on meanwhile",
                         "expected one at a time; --resume goes on behind it");
  }

  /// The process was killed after the server had said that it has all, and before its caller knew.
  /// The server may wait for the goodbye, serve another run by now, or not be there.
  Result<JoinOutcome> say_goodbye_again(Client& client) {
    if (const Status end = client.wait_until_done(Client::kForever); !end.ok()) {
      if (!client.out_of_patience()) return end.error();
    }
    JoinOutcome outcome;
    outcome.run = state_->identity().run;
    outcome.rows = outcome.first_row = state_->next_row();
    return outcome;
  }

  Result<JoinOutcome> take_part(Client& client, Progress& progress) {
    CAUCUS_TRY(const SharedPlan plan, client.wait_for_plan(Client::kForever));
    JoinOutcome outcome;
    outcome.run = *client.run();
    outcome.loss = plan.loss;
    // Without the server's variant of the arithmetic the client warns.
    [[maybe_unused]] const Status same_arithmetic = simd::select(plan.arithmetic);
    CAUCUS_TRY(data_, read_rows(options_.data_file, plan));
    CAUCUS_CHECK(check_shape(*data_, plan));
    outcome.rows = progress.total = data_->rows();
    {
      const std::lock_guard lock(playing_);
      CAUCUS_CHECK(prepare_state(outcome.run, *client.counted()));
      outcome.first_row = std::min<std::size_t>(state_->next_row(), data_->rows());
      player_.emplace(*data_, plan, client, *state_, progress.done);
    }
    CAUCUS_CHECK(client.ready(data_->rows(), data_->features(), data_->experts()));
    while (true) {
      CAUCUS_TRY(const auto batch, client.next_batch());
      if (!batch) break;
      const std::lock_guard lock(playing_);
      CAUCUS_CHECK(player_->answer(*batch));
    }
    outcome.played = player_->played();
    return outcome;
  }

  Status prepare_state(const RunId& run, std::uint64_t counted) {
    JoinIdentity identity{run, options_.client, fingerprint_of(*data_)};
    if (state_ && state_->identity().data != identity.data) {
      return data_error(options_.data_file, "holds other rows than when it was read before",
                        "expected the same data, or to join without " + options_.state_file);
    }
    if (state_ && state_->next_row() >= counted) return Done{};
    if (state_) {  // rows are noted before they are reported: the machine has lost some notes
      write_log(options_.log, LogLevel::warning, "state",
                {{"why", options_.state_file + " is older than what the server has; goes on there"},
                 {"row", std::to_string(counted + 1)}});
    }
    CAUCUS_TRY(state_, JoinState::create(options_.state_file, std::move(identity),
                                         options_.resume ? counted : 0));
    is_new_ = true;
    return Done{};
  }

  const JoinOptions options_;
  std::mutex playing_;  ///< guards state_ and player_, which the client's callbacks use
  std::optional<JoinState> state_;
  std::optional<Dataset> data_;
  std::optional<RowPlayer> player_;
  bool is_new_ = false;  ///< this process created the state

  std::mutex mutex_;  // guards the members below
  bool interrupted_ = false;
  std::unique_ptr<Client> client_;  ///< the last, so that its callbacks end first
};

JoinRun::JoinRun(JoinOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
JoinRun::~JoinRun() = default;

Result<JoinOutcome> JoinRun::play(Progress& progress) { return parts_->play(progress); }
void JoinRun::interrupt() { parts_->interrupt(); }

}  // namespace caucus::cli
