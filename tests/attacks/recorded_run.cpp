#include "recorded_run.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "caucus/engine/participant/participant.hpp"
#include "caucus/federation/federation.hpp"

namespace caucus::attacks {
namespace {

class Client {
 public:
  static Result<Client> make(const SharedPlan& plan, std::uint32_t index, const Rows& rows,
                             std::size_t clients) {
    Client client;
    CAUCUS_TRY(client.participant_, Participant::make(plan, index));
    for (auto row = static_cast<Eigen::Index>(index); row < rows.rows();
         row += static_cast<Eigen::Index>(clients)) {
      client.own_.push_back(row);
    }
    client.all_ = &rows;
    return client;
  }

  [[nodiscard]] std::size_t size() const { return own_.size(); }

  Result<Message> answer(AssignmentRecord assignment) {
    CAUCUS_CHECK(participant_->assign(assignment));
    const SharedPlan& plan = participant_->plan();
    const std::size_t wanted =
        assignment.examples > 0 ? assignment.examples : plan.rounds_per_upload;
    const std::size_t end = client_rule(plan, plan.features).end_of(next_, next_ + wanted, size());
    Message message{std::move(assignment), {}, {}};
    std::vector<float> x(plan.features);
    for (; next_ < end; ++next_) {
      const auto row = all_->row(own_[next_]);
      for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = static_cast<float>(row[static_cast<Eigen::Index>(k)]);
      }
      CAUCUS_TRY(const Prediction prediction, participant_->predict(x));
      participant_->observe(prediction.id, row[row.size() - 1]);
      message.rows.push_back(own_[next_]);
    }
    message.report = *participant_->take_report(next_ == size());
    return message;
  }

 private:
  std::unique_ptr<Participant> participant_;
  const Rows* all_ = nullptr;
  std::vector<Eigen::Index> own_;
  std::size_t next_ = 0;
};

}  // namespace

Result<RecordedRun> record_run(FederationSettings settings, Rows rows) {
  RecordedRun run{settings, std::move(rows), {}};
  CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), RunId{1}));
  const Time now{};
  std::vector<Client> clients;
  const std::size_t count = federation.settings().clients.size();
  for (std::uint32_t j = 0; j < count; ++j) {
    CAUCUS_TRY(Client client, Client::make(federation.settings().plan, j, run.rows, count));
    clients.push_back(std::move(client));
    CAUCUS_CHECK(federation.join({.client = federation.settings().clients[j]}, now));
    CAUCUS_CHECK(
        federation.ready(j, {clients[j].size(), federation.settings().plan.features, 0}, now));
  }
  CAUCUS_CHECK(federation.start(now));
  while (federation.phase() == Federation::Phase::running) {
    for (std::uint32_t j = 0; j < count; ++j) {
      if (!federation.awaits(j)) continue;
      CAUCUS_TRY(Message message,
                 clients[j].answer(record_of(federation.batch(), 0, federation.assign(j))));
      std::string why;
      if (federation.receive(j, message.report, now, why) != Verdict::accepted) {
        return data_error("a report", why, "expected it to be accepted");
      }
      run.messages.push_back(std::move(message));
    }
    federation.close(now);
  }
  return run;
}

FederationSettings settings_of(ScheduleKind schedule, std::size_t clients, std::size_t features,
                               std::size_t min_batch) {
  const bool sums = schedule == ScheduleKind::adaptive;
  FederationSettings settings;
  settings.plan.spaces = default_spaces(sums ? std::numeric_limits<double>::infinity() : 1.0, sums);
  settings.plan.features = features;
  settings.plan.rounds_per_upload = sums ? 0 : 1;
  settings.plan.statistics = sums;
  settings.plan.hides_examples = sums && min_batch == 0;
  settings.plan.sample_size = 2;
  settings.problem.spaces = settings.plan.spaces;
  settings.problem.sample_size = 2;
  settings.problem.rounds_per_upload = settings.plan.rounds_per_upload;
  settings.problem.min_batch = min_batch;
  settings.problem.mode = Mode::synchronous;
  settings.problem.personal = false;
  settings.problem.schedule.kind = schedule;
  settings.problem.constants.eta = 0.1;
  settings.problem.constants.lambda = 0.1;
  settings.max_abs_target = 2.0;
  settings.max_feature_norm = std::sqrt(static_cast<double>(features)) * 1.001;
  for (std::size_t j = 0; j < clients; ++j) settings.clients.push_back("c" + std::to_string(j + 1));
  return settings;
}

}  // namespace caucus::attacks
