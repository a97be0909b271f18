#include "joining/join_run.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <utility>

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/data/class_names.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/engine/participant/participant.hpp"
#include "caucus/engine/telemetry.hpp"
#include "experts/row_experts.hpp"
#include "joining/join_state.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

/// How long a client that has received the End retries, since the server may have exited.
constexpr std::chrono::milliseconds kAcknowledgeTimeout(10'000);

/// Returns an error if the plan's experts are columns and a program is given, or neither.
Status check_experts(const SharedPlan& plan, bool has_program) {
  const std::vector<std::string> names = expert_names(plan.spaces);
  if (has_program && plan.loss.has_classes()) {
    return usage_error("--expert-command", "a program makes no forecasts of several classes yet",
                       "expected no program");
  }
  const bool are_columns = !plan.columns || !plan.columns->expert_columns.empty();
  if (has_program && (names.empty() || are_columns)) {
    return usage_error("--expert-command",
                       names.empty() ? "the run has no experts"
                                     : "the experts of this run are columns of the file",
                       "expected no program");
  }
  if (has_program || names.empty() || are_columns) return Done{};
  return usage_error("--expert-command",
                     "is missing: the run asks " + std::to_string(names.size()) +
                         (names.size() == 1 ? " expert, " : " experts, the first is ") +
                         names.front(),
                     "expected the program that makes their forecasts");
}

Result<Dataset> read_rows(const std::string& file, const SharedPlan& plan, std::size_t asked) {
  const bool of_classes = plan.loss.is_classification() || plan.loss.has_classes();
  const auto targets = of_classes ? TargetClipping::kept : TargetClipping::clipped;
  CAUCUS_TRY(Dataset data, read_dataset({file}, plan.columns.value_or(ReadOptions{}), targets));
  const bool stated = plan.columns && !plan.columns->encodings.empty();
  const auto is_plain = [](const Encoding& one) {
    return one.role == Encoding::Role::target ||
           (one.kind == Encoding::Kind::number && !one.indicator);
  };
  if (!stated && !std::all_of(data.encodings().begin(), data.encodings().end(), is_plain)) {
    return data_error(data.name(), "has columns that are not numbers, or lack some",
                      "expected a server whose [data] says what they become");
  }
  if (plan.loss.is_classification()) CAUCUS_CHECK(apply_label_convention(data));
  if (plan.loss.has_classes()) {
    const bool named = plan.columns && !plan.columns->classes.empty();
    CAUCUS_CHECK(
        apply_classes(data, named ? plan.columns->classes : numbered_classes(plan.loss.classes())));
  }
  if (auto fault = shape_fault(plan, data.features(), data.experts() + asked, data.name()))
    return *fault;
  return data;
}

std::uint64_t fingerprint_of(const Dataset& data) {
  Fingerprint print;
  print.add(data.rows());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (const float value : data.x(row)) print.add(std::bit_cast<std::uint32_t>(value));
    print.add(std::bit_cast<std::uint32_t>(data.y(row)));
  }
  return print.value();
}

/// Leaves out the event of a failure, which the command prints as its error.
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
    if (options_.client.resume) {
      CAUCUS_TRY(state_, JoinState::load(options_.state_file));
    }
    if (state_ && state_->identity().client != name()) {
      return usage_error(options_.state_file, "is of client '" + state_->identity().client + "'",
                         "expected that of '" + name() + "'");
    }
    const bool finished = state_ && state_->finished();
    CAUCUS_TRY(auto started, Client::start(client_options()));
    Client& client = *started;
    {
      const std::lock_guard lock(mutex_);
      client_ = std::move(started);
      if (interrupted_) return interruption();
    }
    Status end = finished ? acknowledge_again(client) : take_part(client, progress);
    client.stop();
    if (!end.ok() && is_new_ && outcome_.played.rows == 0) {
      state_->remove_own();  // the client was refused, perhaps for its data
    }
    const std::lock_guard lock(mutex_);
    if (!end.ok()) return interrupted_ ? interruption() : std::move(end.error());
    outcome_.traffic = client.traffic();
    outcome_.personal = state_ && !state_->personal().empty();
    return outcome_;
  }

  void interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    if (client_) client_->stop();
  }

 private:
  static Error interruption() {
    return network_error("caucus join", "interrupted", "--resume continues where it stopped");
  }
  [[nodiscard]] const std::string& name() const { return options_.client.name; }

  [[nodiscard]] ClientOptions client_options() {
    ClientOptions client = options_.client;
    client.software = "caucus join " + version();
    client.by_batch = true;
    if (!options_.experts.command.empty()) {
      client.ask = [this](const ExpertQuestion& question, std::span<float> forecasts) {
        return experts_->answer(question, forecasts);
      };
    }
    if (state_) client.run = state_->identity().run;
    const bool is_long = client.patience.count() == 0 || client.patience > kAcknowledgeTimeout;
    if (state_ && state_->finished() && is_long) client.patience = kAcknowledgeTimeout;
    client.on_welcome = [this](std::uint64_t counted) { return check_only_client(counted); };
    client.on_finished = [this] {
      const std::lock_guard lock(playing_);
      if (!state_ || state_->finished()) return;
      if (const Status status = state_->finish(); !status.ok()) {
        write_log(options_.client.log, LogLevel::warning, "state",
                  {{"why", status.error().line()}});
      }
    };
    client.log = without_failure(client.log);
    return client;
  }

  /// The state file has rows before they are reported, so the server has no more rows than the
  /// file. The first welcome may count more: see prepare_state().
  Status check_only_client(std::uint64_t counted) {
    const std::lock_guard lock(playing_);
    if (!prepared_ || counted <= state_->next_row()) return Done{};
    return network_error("client '" + name() + "'",
                         "another client of this name has continued the run",
                         "expected one at a time; --resume continues after its rows");
  }

  /// The process was killed after it had received the End. The server may still wait for the
  /// acknowledgement, serve another run or have exited.
  Status acknowledge_again(Client& client) {
    Status end = client.wait_until_finished(Client::kForever);
    if (!end.ok() && !client.out_of_patience()) return end;
    outcome_.run = state_->identity().run;
    outcome_.rows = outcome_.first_row = state_->next_row();
    return Done{};
  }

  Status take_part(Client& client, Progress& progress) {
    CAUCUS_TRY(const SharedPlan plan, client.wait_for_plan(Client::kForever));
    outcome_.run = *client.run();
    outcome_.loss = plan.loss;
    // The client warns if it does not have the server's variant of the arithmetic.
    [[maybe_unused]] const Status same_arithmetic = simd::select(plan.arithmetic);
    const bool asks = !options_.experts.command.empty();
    CAUCUS_CHECK(check_experts(plan, asks));
    const std::size_t asked = asks ? expert_names(plan.spaces).size() : 0;
    CAUCUS_TRY(data_, read_rows(options_.data_file, plan, asked));
    if (asks) CAUCUS_CHECK(start_experts(plan));
    outcome_.rows = progress.total = data_->rows();
    outcome_.clipped = data_->clipped();
    {
      const std::lock_guard lock(playing_);
      CAUCUS_CHECK(prepare_state(*client.counted()));
      prepared_ = true;
      outcome_.first_row = progress.done = used_rows();
    }
    CAUCUS_CHECK(
        client.ready(data_->rows(), data_->features(), data_->experts() + asked, data_->clipped()));
    const UploadRule rule = client_rule(plan, data_->features());
    while (true) {
      CAUCUS_TRY(const auto batch, client.next_batch());
      if (!batch) return Done{};
      const std::lock_guard lock(playing_);
      CAUCUS_CHECK(answer(client, *batch, rule));
      progress.done = used_rows();
    }
  }

  Status start_experts(const SharedPlan& plan) {
    ExpertProgram program = options_.experts;
    program.names = expert_names(plan.spaces);
    CAUCUS_TRY(experts_,
               RowExperts::start(std::move(program), {options_.data_file},
                                 plan.columns.value_or(ReadOptions{}), *data_, plan.loss));
    return Done{};
  }

  Status prepare_state(std::uint64_t counted) {
    JoinIdentity identity{outcome_.run, name(), fingerprint_of(*data_)};
    if (state_ && state_->identity().data != identity.data) {
      return data_error(options_.data_file, "holds other rows than when it was read before",
                        "expected the same data, or to join without " + options_.state_file);
    }
    if (state_ && state_->next_row() >= counted) return Done{};
    if (state_) {  // the machine has lost some lines of the state file
      write_log(options_.client.log, LogLevel::warning, "state",
                {{"why", options_.state_file + " has fewer rows than the server; continues there"},
                 {"row", std::to_string(counted + 1)}});
    }
    CAUCUS_TRY(state_, JoinState::create(options_.state_file, std::move(identity),
                                         options_.client.resume ? counted : 0));
    is_new_ = true;
    return Done{};
  }

  [[nodiscard]] std::size_t used_rows() const {
    return std::min<std::size_t>(state_->next_row(), data_->rows());
  }

  /// Plays the next rows, or the rows that answered this batch before a restart. They are in the
  /// state file before they are reported.
  Status answer(Client& client, const OpenBatch& batch, const UploadRule& rule) {
    CAUCUS_CHECK(state_->forget_up_to(batch.durable));
    auto rows = state_->rows_of(batch.number);
    const bool again = rows.has_value();
    if (again) {
      CAUCUS_CHECK(client.restore_personal(rows->personal));
    } else {
      const std::size_t first = used_rows();
      rows = {first, rule.end_of(first, first + batch.examples, data_->rows()), state_->personal()};
      if (!rows->personal.empty()) CAUCUS_CHECK(client.restore_personal(rows->personal));
    }
    CAUCUS_TRY(const PlayedSums sums, play(client, *rows, again ? nullptr : &rule));
    if (!again) CAUCUS_CHECK(state_->use(batch.number, *rows));
    if (auto after = client.personal_state(); !after.empty()) {
      CAUCUS_CHECK(state_->keep_personal(std::move(after)));
    }
    CAUCUS_CHECK(client.report(rows->end == data_->rows()));
    PlayedRows& played = outcome_.played;
    ++played.batches;
    played.rows += sums.forecasts;
    played.loss += sums.loss;
    played.squared_error += sums.squared_error;
    played.log_loss += sums.log_loss;
    played.correct += sums.correct;
    return Done{};
  }

  /// With a rule the rows may become fewer, if the data change and the others are enough for
  /// another batch.
  Result<PlayedSums> play(Client& client, UsedRows& rows, const UploadRule* rule) {
    if (rows.end > data_->rows()) {
      return data_error(data_->name(), "has " + std::to_string(data_->rows()) + " rows",
                        "row " + std::to_string(rows.end) + " was used before");
    }
    PlayedSums sums;
    for (std::size_t row = rows.first; row < rows.end; ++row) {
      const auto y = static_cast<double>(data_->y(row));
      CAUCUS_TRY(const Prediction prediction, client.predict(data_->x(row), row));
      if (!client.observe(prediction.id, y)) {
        return data_error(data_->name() + ": data row " + std::to_string(row + 1),
                          "the target cannot be learned from", "expected a finite number");
      }
      sums.add(outcome_.loss, {0, row, prediction.output, y, prediction.probabilities});
      const std::size_t left = data_->rows() - row - 1;
      if (rule != nullptr && left > 0 && rule->sends(left) && client.batch_is_full()) {
        rows.end = row + 1;
      }
    }
    return sums;
  }

  const JoinOptions options_;
  std::optional<Dataset> data_;
  std::unique_ptr<RowExperts> experts_;
  JoinOutcome outcome_;
  bool is_new_ = false;  ///< this process created the state
  std::mutex playing_;   ///< guards these two, which the client's callbacks use
  std::optional<JoinState> state_;
  bool prepared_ = false;  ///< the state belongs to this run and to these rows

  std::mutex mutex_;  // guards the members below
  bool interrupted_ = false;
  std::unique_ptr<Client> client_;  ///< the last member, so that its callbacks end first
};

JoinRun::JoinRun(JoinOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
JoinRun::~JoinRun() = default;

Result<JoinOutcome> JoinRun::play(Progress& progress) { return parts_->play(progress); }
void JoinRun::interrupt() { parts_->interrupt(); }

}  // namespace caucus::cli
