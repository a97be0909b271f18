// What a hostile client does changes nothing for the others.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "caucus/engine/participant/message_size.hpp"
#include "caucus/engine/participant/test_reports.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/test_by_hand.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

std::unique_ptr<WireClient> join(const FederationSettings& settings, std::uint32_t index,
                                 const TestSource& source, const Address& server,
                                 WireClient::Spoil spoil = {}) {
  ConnectionOptions options;
  options.server = server;
  return std::make_unique<WireClient>(TestClient(settings.plan, index, source), options,
                                      std::move(spoil));
}

TEST(Hostile, ReportsAreRejectedAndTheirClientCutOff) {
  const TestSource source({20, 20, 20});
  const TestSource without({20, 20});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto parts = [](auto change) -> WireClient::Spoil {
    return [change](ReportRecord& report) { change_parts(report, change); };
  };
  const WireClient::Spoil lies[] = {
      parts([&](TestParts& p) { p[0].held[1].gradient[2] = nan; }),
      parts([&](TestParts& p) { p[0].held[0].loss = nan; }),
      parts([](TestParts& p) { p[0].held[0].gradient[0] = 1e30F; }),
      parts([](TestParts& p) { p[0].held[0].loss = -1.0F; }),
      parts([](TestParts& p) { p[0].held[0].space ^= 1U; }),
      parts([](TestParts& p) { p[0].held.push_back(p[0].held[0]); }),
      parts([](TestParts& p) { p[0].examples = 4'000'000'000U; }),
      parts([](TestParts& p) { p[0].sampled = 1'000'000; }),
      parts([](TestParts& p) { p.assign(3, TestPart(p[0])); }),
      [](ReportRecord& r) { r.played.loss = 1e300; },
      [](ReportRecord& r) { r.played.forecasts = 4'000'000'000U; },
      parts([](TestParts& p) { p.clear(); }),
      [](ReportRecord& r) {
        r.reports.examples[0] = 100'000;  // all of them without a loss
        r.played = {100'000, 0.0, 0.0};
      },
  };
  for (std::size_t n = 0; n < std::size(lies); ++n) {
    const auto settings = test_settings(3, ScheduleKind::adaptive);
    LogLines logged;
    ServerOptions options;
    options.log = logged.log();
    TestServer server(settings, 1, options);
    const auto liar = join(settings, 2, source, server.address(), lies[n]);
    const auto first = join(settings, 0, source, server.address());
    const auto second = join(settings, 1, source, server.address());
    EXPECT_TRUE(first->wait().ok()) << n;
    EXPECT_TRUE(second->wait().ok()) << n;
    const auto end = liar->wait();
    ASSERT_FALSE(end.ok()) << n;
    EXPECT_EQ(end.error().kind, ErrorKind::network);
    const Member member = server.host().status().members[2];
    EXPECT_TRUE(member.cut_off) << n;
    EXPECT_EQ(member.counters.rejected, 3U) << n;
    EXPECT_EQ(member.counters.reports, 0U) << n;
    const auto lines = logged.beginning_with("rejected client=c3 batch=");
    ASSERT_EQ(lines.size(), 3U) << n;
    EXPECT_NE(lines[0].find(" why="), std::string::npos) << lines[0];
    EXPECT_TRUE(lines[0].ends_with(" cut_off=false")) << lines[0];
    EXPECT_TRUE(lines[2].ends_with(" cut_off=true")) << lines[2];
    // As if there were only the two others.
    const Learned expected = simulated(test_settings(2, ScheduleKind::adaptive), without);
    EXPECT_EQ(server.learned().probabilities, expected.probabilities) << n;
    EXPECT_EQ(server.learned().weights, expected.weights) << n;
  }
}

/// A stream that says nothing, or one thing.
class Stranger final : public grpc::ClientBidiReactor<v1::ClientMessage, v1::ServerMessage> {
 public:
  void begin(v1::Federation::Stub& stub, const v1::ClientMessage* message) {
    stub.async()->Join(&context_, this);
    if (message != nullptr) StartWrite(message);
    StartRead(&reply_);
    StartCall();
  }
  void cancel() { context_.TryCancel(); }
  grpc::Status wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return status_.has_value(); });
    return *status_;
  }

 private:
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    changed_.notify_all();
  }
  grpc::ClientContext context_;
  v1::ServerMessage reply_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<grpc::Status> status_;
};

/// Says everything of a client that it has ever said, again and again.
class Replayer {
 public:
  Replayer(const FederationSettings& settings, std::uint32_t index, const TestSource& source,
           const Address& server)
      : client_(settings.plan, index, source),
        stub_(v1::Federation::NewStub(
            grpc::CreateChannel(server.text(), grpc::InsecureChannelCredentials()))) {}

  /// Answers so many assignments on a stream of its own, and leaves with the next; true if the
  /// server has ended the stream instead.
  bool play(std::size_t batches) {
    grpc::ClientContext context;
    const auto stream = stub_->Join(&context);
    v1::ClientMessage hello;
    encode(client_.hello(), *hello.mutable_hello());
    v1::ClientMessage ready;
    encode(client_.ready(), *ready.mutable_ready());
    stream->Write(hello);
    stream->Write(ready);
    v1::ServerMessage message;
    bool over = false;
    while (!over && stream->Read(&message)) {
      over = message.has_end();
      if (!message.has_assignment()) continue;
      for (const auto& report : said_) stream->Write(report);  // of earlier batches
      replayed += said_.size();
      if (batches-- == 0) break;
      v1::ClientMessage report;
      encode(*client_.play(decode(message.assignment())), *report.mutable_report());
      stream->Write(report);
      if (report.report().last()) continue;
      stream->Write(report);  // of this one, which may have been closed by now
      ++replayed;
      said_.push_back(report);
    }
    stream->WritesDone();
    while (stream->Read(&message)) over = over || message.has_end();
    stream->Finish();
    return over;
  }

  std::uint64_t replayed = 0;

 private:
  TestClient client_;
  std::unique_ptr<v1::Federation::Stub> stub_;
  std::vector<v1::ClientMessage> said_;
};

TEST(Hostile, ReplayedReportsChangeNothing) {
  const auto started = std::chrono::steady_clock::now();
  const TestSource source({20, 20});
  const auto settings = test_settings(2, ScheduleKind::adaptive);
  TestServer server(settings);
  const auto honest = join(settings, 0, source, server.address());
  Replayer replayer(settings, 1, source, server.address());
  EXPECT_FALSE(replayer.play(7));
  EXPECT_FALSE(replayer.play(6));
  EXPECT_TRUE(replayer.play(20));
  EXPECT_TRUE(honest->wait().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10))
      << "what was said twice kept the others waiting";
  const Member member = server.host().status().members[1];
  EXPECT_EQ(member.counters.reports, 20U);
  EXPECT_EQ(member.counters.repeated, replayer.replayed);
  EXPECT_EQ(member.counted, 20U);
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

TEST(Hostile, HundredsOfStreamsKeepNobodyOut) {
  const TestSource source({200, 200});
  const auto settings = test_settings(2, ScheduleKind::constant);
  TestServer server(settings);
  const auto channel =
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials());
  const auto stub = v1::Federation::NewStub(channel);
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int n = 0; n < 500; ++n) {
    strangers.push_back(std::make_unique<Stranger>());
    strangers.back()->begin(*stub, nullptr);
  }
  const auto first = join(settings, 0, source, server.address());
  const auto second = join(settings, 1, source, server.address());
  EXPECT_TRUE(first->wait().ok());
  EXPECT_TRUE(second->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
  for (const auto& stranger : strangers) stranger->cancel();
  for (const auto& stranger : strangers) stranger->wait();
}

TEST(Hostile, PendingStreamsAreEvictedByNewerOnes) {
  const TestSource source({60, 60});
  const auto settings = test_settings(2, ScheduleKind::constant);
  ServerOptions options;
  options.pending_streams = 8;
  TestServer server(settings, 1, options);
  std::vector<std::unique_ptr<v1::Federation::Stub>> stubs;
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (int n = 0; n < 20; ++n) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("caucus.stranger", n);  // a connection of its own
    stubs.push_back(v1::Federation::NewStub(grpc::CreateCustomChannel(
        server.address().text(), grpc::InsecureChannelCredentials(), arguments)));
    strangers.push_back(std::make_unique<Stranger>());
    strangers.back()->begin(*stubs.back(), nullptr);
  }
  const auto first = join(settings, 0, source, server.address());
  const auto second = join(settings, 1, source, server.address());
  EXPECT_TRUE(first->wait().ok());
  EXPECT_TRUE(second->wait().ok());
  EXPECT_EQ(first->connection().streams(), 1U);
  EXPECT_EQ(server.learned(), simulated(settings, source));
  for (const auto& stranger : strangers) stranger->cancel();
  int evicted = 0;
  for (const auto& stranger : strangers) {
    evicted +=
        static_cast<int>(stranger->wait().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
  }
  EXPECT_GE(evicted, 10);
  EXPECT_LE(evicted, 14);
}

TEST(Hostile, HugeMessagesEndTheirStream) {
  const TestSource source({50, 50});
  const auto settings = test_settings(2, ScheduleKind::constant);
  TestServer server(settings);
  const auto channel =
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials());
  const auto stub = v1::Federation::NewStub(channel);
  v1::ClientMessage huge;
  huge.mutable_hello()->set_token(std::string(std::size_t{1} << 30U, 'x'));
  Stranger stranger;
  stranger.begin(*stub, &huge);
  const auto first = join(settings, 0, source, server.address());
  const auto second = join(settings, 1, source, server.address());
  EXPECT_TRUE(first->wait().ok());
  EXPECT_TRUE(second->wait().ok());
  EXPECT_NE(stranger.wait().error_code(), grpc::StatusCode::OK);
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

/// The limit is that of the plan, above gRPC's own of 4 MB here, and no higher.
TEST(Hostile, MessagesMayBeAsLargeAsAnHonestReport) {
  const TestSource source({2});
  auto settings = test_settings(1, ScheduleKind::constant);
  settings.plan.spaces.erase(settings.plan.spaces.begin(), settings.plan.spaces.begin() + 2);
  for (Space& space : settings.plan.spaces) space.features = 300'000;
  settings.plan.label_delay = 0;
  settings.problem.spaces = settings.plan.spaces;
  const std::size_t largest =
      largest_report(settings.plan, settings.problem.resolved_sample_size());
  ASSERT_GT(largest, std::size_t{4} << 20U);
  TestServer server(settings);
  const auto stub = v1::Federation::NewStub(
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials()));
  v1::ClientMessage large;
  large.mutable_hello()->set_software(std::string(largest, 'x'));
  Stranger stranger;
  stranger.begin(*stub, &large);
  EXPECT_EQ(stranger.wait().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto honest = join(settings, 0, source, server.address());
  EXPECT_TRUE(honest->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

TEST(Hostile, PackedMessagesAreNotUnpacked) {
  TestServer server(test_settings(2, ScheduleKind::constant));
  const auto stub = v1::Federation::NewStub(
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials()));
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    const auto stream = stub->Join(&context);
    v1::ClientMessage message;
    message.mutable_hello()->set_software(std::string(50'000, 'x'));  // it fits, packed or not
    stream->Write(message);
    v1::ServerMessage received;
    EXPECT_FALSE(stream->Read(&received)) << received.DebugString();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
}

TEST(Hostile, SilentStreamsAreEnded) {
  ServerOptions options;
  options.hello_within = std::chrono::milliseconds(50);
  TestServer server(test_settings(2, ScheduleKind::constant), 1, options);
  const auto channel =
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials());
  const auto stub = v1::Federation::NewStub(channel);
  Stranger stranger;
  stranger.begin(*stub, nullptr);
  EXPECT_EQ(stranger.wait().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

/// What the server says to these messages, the last of them so many times.
std::vector<v1::ServerMessage> say(const Address& server,
                                   const std::vector<v1::ClientMessage>& messages,
                                   std::size_t times = 1) {
  const auto stub = v1::Federation::NewStub(
      grpc::CreateChannel(server.text(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const auto stream = stub->Join(&context);
  for (std::size_t n = 0; n + 1 < messages.size(); ++n) stream->Write(messages[n]);
  for (std::size_t n = 0; n < times; ++n) {
    if (!stream->Write(messages.back())) break;
  }
  std::vector<v1::ServerMessage> said;
  v1::ServerMessage message;
  while (stream->Read(&message)) said.push_back(message);
  stream->Finish();
  return said;
}

TEST(Hostile, WhoeverDoesNotKeepToTheProtocolIsShownTheDoor) {
  const TestSource source({20, 20});
  const auto settings = test_settings(2, ScheduleKind::constant);
  TestServer server(settings);
  const TestClient client(settings.plan, 1, source);
  v1::ClientMessage hello;
  encode(client.hello(), *hello.mutable_hello());
  v1::ClientMessage ready;
  encode(client.ready(), *ready.mutable_ready());
  v1::ClientMessage report;
  report.mutable_report()->set_batch(1);
  v1::ClientMessage older = hello;
  older.mutable_hello()->set_protocol(kProtocol + 1);
  const auto why = [&](const std::vector<v1::ClientMessage>& messages, std::size_t times = 1) {
    const auto said = say(server.address(), messages, times);
    EXPECT_FALSE(said.empty());
    return said.empty() ? "" : said.back().refusal().why();
  };
  EXPECT_EQ(why({older}), "protocol 2; expected 1");
  EXPECT_EQ(why({ready}), "expected a Hello first");
  EXPECT_EQ(why({hello, hello}), "a second Hello");
  EXPECT_EQ(why({hello, ready, ready}), "a second Ready");
  EXPECT_EQ(why({hello, ready, report}, 5000), "more messages than were asked for");
  EXPECT_EQ(server.host().status().members[1].counters.reports, 0U);
  EXPECT_LE(server.host().status().members[1].counters.late, 1000U);
}

TEST(Hostile, NobodyReportsWhoHasNotSaidThatItIsReady) {
  const TestSource source({5});
  const auto settings = test_settings(1, ScheduleKind::constant);
  TestServer server(settings);
  ClientByHand before(server.address().text(), "c1", 5);
  ASSERT_TRUE(before.receive_assignment());
  before.say_no_more();
  ASSERT_TRUE(before.end().ok());
  TestClient client(settings.plan, 0, source);
  v1::ClientMessage hello;
  encode(client.hello(), *hello.mutable_hello());
  v1::ClientMessage report;  // what the server waits for, but not on this stream
  encode(*client.play(decode(before.received().assignment())), *report.mutable_report());
  const auto said = say(server.address(), {hello, report});
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back().refusal().why(), "expected a Ready first");
  EXPECT_TRUE(said.back().refusal().final());
  const HostStatus status = server.host().status();
  EXPECT_EQ(status.batch, 1U);
  EXPECT_EQ(status.members[0].counters.reports, 0U);
  const auto honest = join(settings, 0, source, server.address());
  EXPECT_TRUE(honest->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

}  // namespace
}  // namespace caucus::wire
