// The state of a Client, and the handlers of its connection's events.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "caucus/client.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/engine/participant/participant.hpp"
#include "caucus/wire/connection.hpp"

namespace caucus {

class Client::Parts {
 public:
  Parts(ClientOptions given, Address server)
      : options(std::move(given)),
        connection({std::move(server),
                    options.tls,
                    {kProtocol, options.name, options.token, options.software, options.run,
                     options.resume},
                    options.patience},
                   events()) {}

  /// Returns null before ready(). Once it exists, it stays.
  Participant* participant_if_any() const {
    const std::lock_guard lock(mutex);
    return participant.get();
  }

  template <class What>
  Status wait(std::chrono::milliseconds timeout, const char* waited_for, What&& what) {
    std::unique_lock lock(mutex);
    const auto ready_or_ended = [&] { return what() || result || stopped; };
    if (timeout == kForever) {
      changed.wait(lock, ready_or_ended);
    } else {
      changed.wait_for(lock, timeout, ready_or_ended);
    }
    if (result && !result->ok()) return result->error();
    if (what()) return Done{};
    if (result) return network_error("server", "the run has finished");
    return network_error("client '" + options.name + "'",
                         stopped ? "was stopped" : std::string("no ") + waited_for + " in time");
  }

  Status ready(const ReadyRecord& shape) {
    std::optional<WelcomeRecord> welcomed;
    {
      const std::lock_guard lock(mutex);
      welcomed = welcome;
    }
    if (!welcomed) return usage_error("ready", "there is no plan yet", "call wait_for_plan()");
    SharedPlan& plan = welcomed->plan;
    CAUCUS_CHECK(set_shape(plan, shape));
    CAUCUS_TRY(auto made, Participant::make(plan, welcomed->client, options.ask));
    if (!plan.arithmetic.empty() && plan.arithmetic != simd::kernels().name) {
      write_log(options.log, LogLevel::warning, "arithmetic",
                {{"server", plan.arithmetic},
                 {"why", "this program computes with " + std::string(simd::kernels().name) +
                             ": last digits may differ"}});
    }
    {
      const std::lock_guard lock(mutex);
      if (participant) return usage_error("ready", "was called twice", "expected one call");
      participant = std::move(made);
      notify_start();
    }
    connection.ready(shape);
    return Done{};
  }

  /// Passes the server's start on to the participant. The caller holds the mutex.
  void notify_start() {
    if (server_start) participant->served_by(server_start->first, server_start->second);
    server_start.reset();
  }

  /// Returns true if the client had reported on this assignment before and has now done so again.
  Result<bool> assign(AssignmentRecord assignment) {
    Participant* const by = participant_if_any();
    if (by == nullptr) return true;
    const std::lock_guard lock_reporting(reporting);
    CAUCUS_TRY(const auto again, by->assign(std::move(assignment)));
    if (again == nullptr) return false;
    connection.report(*again);
    const std::lock_guard lock(mutex);
    ++repeated;
    return true;
  }

  /// Sends a report if the open batch has enough observations, or there will be no more.
  void offer_report() {
    const std::lock_guard lock_reporting(reporting);
    Participant* by = nullptr;
    bool last = false;
    {
      const std::lock_guard lock(mutex);
      by = participant.get();
      last = finishing;
    }
    if (by == nullptr || !(last || by->ready())) return;
    if (const auto report = by->take_report(last)) connection.report(*report);
  }

  /// Counts a true value. The first time that nine of ten come too late, the log says so.
  void count_label(bool is_in_time) {
    constexpr std::uint64_t kEnough = 50;  // late values before the warning
    std::unique_lock lock(mutex);
    ++(is_in_time ? in_time : late);
    if (warned_of_late || late < kEnough || late < 9 * in_time) return;
    warned_of_late = true;
    const std::string so_late = std::to_string(late), so_early = std::to_string(in_time);
    lock.unlock();
    write_log(options.log, LogLevel::warning, "labels too late",
              {{"late", so_late},
               {"in_time", so_early},
               {"label_delay", std::to_string(participant->plan().label_delay)},
               {"why",
                "most true values come after the batch of their prediction has closed, and nothing "
                "is learned from them; the server's label_delay lets them come later"}});
  }

  const ClientOptions options;
  std::mutex reporting;  ///< one decision about the open batch at a time; locked before mutex

  mutable std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  std::unique_ptr<Participant> participant;
  std::optional<WelcomeRecord> welcome;  ///< the first one
  /// The `start` and `since` of a welcome that the participant has not received.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> server_start;
  std::optional<AssignmentRecord> newest;
  ConnectionState state = ConnectionState::connecting;
  bool finishing = false, stopped = false;
  std::uint64_t in_time = 0, late = 0;  ///< numbers of true values
  bool warned_of_late = false;
  std::uint64_t repeated = 0;
  std::optional<Status> result;

  wire::Connection connection;  ///< the last member, since its events use all others

 private:
  /// Gives the plan the shape of the client's examples, which must be the server's if it has one.
  static Status set_shape(SharedPlan& plan, const ReadyRecord& shape) {
    if (shape.features + shape.experts == 0) {
      return usage_error("client", "examples without numbers", "expected features or experts");
    }
    if (auto fault = shape_fault(plan, shape.features, shape.experts, "client")) {
      fault->kind = ErrorKind::usage;  // of the application, not of a file
      return *fault;
    }
    plan.features = shape.features;
    plan.experts = shape.experts;
    return Done{};
  }

  wire::ConnectionEvents events() {
    wire::ConnectionEvents events;
    events.on_welcome = [this](const WelcomeRecord& record) { return on_welcome(record); };
    events.on_assignment = [this](AssignmentRecord record) {
      return on_assignment(std::move(record));
    };
    events.on_rejected = [this](std::uint64_t batch, const std::string& why) {
      write_log(options.log, LogLevel::warning, "report rejected",
                {{"batch", std::to_string(batch)}, {"why", why}});
    };
    events.on_state = [this](ConnectionState now, const std::string& why) { on_state(now, why); };
    events.on_finished = options.on_finished;
    events.on_end = [this](const Status& status) {
      const std::lock_guard lock(mutex);
      result = status;
      changed.notify_all();
    };
    return events;
  }

  void on_state(ConnectionState now, const std::string& why) {
    {
      const std::lock_guard lock(mutex);
      state = now;
    }
    LogLevel level = LogLevel::info;
    if (now == ConnectionState::disconnected) level = LogLevel::warning;
    if (now == ConnectionState::failed) level = LogLevel::error;
    const bool names_server =
        now == ConnectionState::connecting || now == ConnectionState::connected;
    write_log(options.log, level, word_of(now),
              {{"client", options.name}, {names_server ? "server" : "why", why}});
    if (options.on_state) options.on_state(now, why);
  }

  Status on_welcome(const WelcomeRecord& record) {
    if (options.on_welcome) CAUCUS_CHECK(options.on_welcome(record.examples));
    bool first = false;
    {
      const std::lock_guard lock(mutex);
      first = !welcome;
      if (first) welcome = record;
      newest.reset();  // the server sends it again
      server_start.emplace(record.start, record.since);
      // Otherwise next_batch() does it when the application takes the first batch of this start.
      if (participant && !options.by_batch) notify_start();
      changed.notify_all();
    }
    const bool shape_is_known = options.features + options.experts > 0;
    if (!first || !shape_is_known) return Done{};
    return ready({options.examples, options.features, options.experts});
  }

  Status on_assignment(AssignmentRecord record) {
    if (options.by_batch) {
      const std::lock_guard lock(mutex);
      // Only the newest counts: a report for an older batch would come after it has closed.
      newest = std::move(record);
      changed.notify_all();
      return Done{};
    }
    CAUCUS_CHECK(assign(std::move(record)));
    {
      const std::lock_guard lock(mutex);
      changed.notify_all();
    }
    offer_report();
    return Done{};
  }
};

}  // namespace caucus
