#include "caucus/wire/connection.hpp"

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/backoff.hpp"
#include "caucus/wire/test_keys.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

using std::chrono::milliseconds;

std::vector<std::unique_ptr<WireClient>> join_all(const FederationSettings& settings,
                                                  const TestSource& source, const Address& server) {
  std::vector<std::unique_ptr<WireClient>> clients;
  for (std::uint32_t j = 0; j < source.clients(); ++j) {
    ConnectionOptions options;
    options.server = server;
    clients.push_back(
        std::make_unique<WireClient>(TestClient(settings.plan, j, source), std::move(options)));
  }
  return clients;
}

TEST(Connection, CarriesARunWithTheBitsOfTheSimulation) {
  const TestSource source({23, 30, 7});
  for (const ScheduleKind schedule : {ScheduleKind::adaptive, ScheduleKind::theory}) {
    for (const std::size_t rounds_per_upload : {1U, 4U}) {
      const auto settings = test_settings(3, schedule, rounds_per_upload);
      TestServer server(settings);
      const auto clients = join_all(settings, source, server.address());
      for (const auto& client : clients) {
        const auto end = client->wait();
        EXPECT_TRUE(end.ok()) << end.error().line();
        EXPECT_EQ(client->connection().streams(), 1U);
        EXPECT_GT(client->connection().bytes_up(), 100U);
        EXPECT_GT(client->connection().bytes_down(), 100U);
        using enum ConnectionState;
        EXPECT_EQ(client->states(), (std::vector{connecting, connected, finished}));
      }
      EXPECT_EQ(server.learned(), simulated(settings, source));
      ASSERT_TRUE(server.host().linger(std::chrono::seconds(60)).ok());
      for (std::size_t j = 0; j < clients.size(); ++j) {  // both sides count the same bytes
        const MemberCounters counters = server.host().status().members[j].counters;
        EXPECT_EQ(counters.bytes_up, clients[j]->connection().bytes_up());
        EXPECT_EQ(counters.bytes_down, clients[j]->connection().bytes_down());
        EXPECT_EQ(counters.joins, 1U);
      }
    }
  }
}

TEST(Connection, ComesBackToAServerThatWasKilled) {
  const TestSource source({200, 200, 120});
  for (const std::size_t commit_every : {1U, 7U}) {
    const auto settings = test_settings(3, ScheduleKind::adaptive);
    TestServer server(settings, commit_every);
    const auto clients = join_all(settings, source, server.address());
    for (const std::uint64_t batch : {20U, 60U, 110U}) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (server.host().status().batch < batch && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(milliseconds(1));
      }
      server.kill();
      std::this_thread::sleep_for(milliseconds(30));
      server.start();
    }
    for (const auto& client : clients) {
      const auto end = client->wait();
      EXPECT_TRUE(end.ok()) << end.error().line();
    }
    EXPECT_GE(clients[0]->connection().streams(), 3U);
    EXPECT_EQ(server.learned(), simulated(settings, source));
    EXPECT_EQ(server.host().status().members[2].counted, 120U);
  }
}

/// What becomes of one client.
Status outcome_of(const FederationSettings& settings, ConnectionOptions options,
                  std::uint32_t client = 0) {
  const TestSource source({3, 3, 3, 3});
  options.patience = milliseconds(1000);
  WireClient one(TestClient(settings.plan, client, source), std::move(options));
  return one.wait();
}

TEST(Connection, IsRefusedWithoutTheRightNameAndToken) {
  const auto settings = test_settings(2, ScheduleKind::constant);
  ServerOptions with_tokens;
  const auto first = hash_of_token("the token of c1").value();
  const auto second = hash_of_token("the token of c2").value();
  with_tokens.tokens = TokenFile::parse("c1 " + first + "\nc2 " + second + "\n", "tokens").value();
  TestServer server(settings, 1, with_tokens);
  ConnectionOptions options;
  options.server = server.address();
  for (const char* token : {"", "the token of c2", "the token of c1 "}) {
    options.hello.token = token;
    const auto end = outcome_of(settings, options);
    ASSERT_FALSE(end.ok()) << token;
    EXPECT_EQ(end.error().kind, ErrorKind::network);
    EXPECT_NE(end.error().what.find("refuses"), std::string::npos) << end.error().line();
  }
  options.hello.token = "the token of c1";
  const auto stranger = outcome_of(settings, options, 3);  // c4
  ASSERT_FALSE(stranger.ok());
  EXPECT_NE(stranger.error().what.find("refuses"), std::string::npos) << stranger.error().line();
  EXPECT_EQ(server.host().status().members[0].counters.joins, 0U);
  const TestSource source({3, 3});
  const WireClient welcome(TestClient(settings.plan, 0, source), options);
  while (server.host().status().members[0].counters.joins == 0) std::this_thread::yield();
}

TEST(Connection, GivesUpWhenItsPatienceIsOver) {
  const auto settings = test_settings(1, ScheduleKind::constant);
  Address nobody;
  {
    TestServer server(settings);
    nobody = server.address();
  }
  ConnectionOptions options;
  options.server = nobody;
  options.patience = milliseconds(300);
  const TestSource source({3});
  const auto started = std::chrono::steady_clock::now();
  WireClient client(TestClient(settings.plan, 0, source), options);
  const auto end = client.wait();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().kind, ErrorKind::network);
  EXPECT_NE(end.error().what.find("no answer for 0.3 s"), std::string::npos) << end.error().line();
  EXPECT_GE(std::chrono::steady_clock::now() - started, milliseconds(300));
  using enum ConnectionState;
  EXPECT_EQ(client.states(), (std::vector{connecting, disconnected, failed}));
}

TEST(Connection, IsNoMorePatientWithWhoeverSaysNothing) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&where), sizeof where), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  socklen_t size = sizeof where;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&where), &size);
  ConnectionOptions options;
  options.server = {"127.0.0.1", ntohs(where.sin_port)};
  const auto started = std::chrono::steady_clock::now();
  const auto end = outcome_of(test_settings(1, ScheduleKind::constant), options);  // 1 s
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
  ::close(listener);
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().line().find("; expected a caucus server"), std::string::npos)
      << end.error().line();
}

TEST(Connection, SaysAgainThatItHasHeardTheEnd) {
  const TestSource source({5});
  const auto settings = test_settings(1, ScheduleKind::constant);
  TestServer server(settings);
  ConnectionOptions options;
  options.server = server.address();
  options.patience = milliseconds(200);  // it is over: whether it was received is no reason to fail
  std::thread restart;
  WireClient client(TestClient(settings.plan, 0, source), options, {}, [&] {
    server.kill();  // between the End and the Goodbye
    restart = std::thread([&] {
      std::this_thread::sleep_for(milliseconds(600));
      server.start();
    });
  });
  const auto end = client.wait();
  restart.join();
  EXPECT_TRUE(end.ok()) << end.error().line();
  EXPECT_TRUE(server.host().look([](const Federation& f) { return f.unacknowledged().empty(); }));
  EXPECT_EQ(client.connection().streams(), 2U);
}

TEST(Connection, CanBeStoppedAtAnyMoment) {
  const auto settings = test_settings(1, ScheduleKind::constant);
  const TestSource source({3});
  ConnectionOptions options;
  options.server = {"127.0.0.1", 1};
  {
    WireClient client(TestClient(settings.plan, 0, source), options);  // while it tries
  }
  const auto two = test_settings(2, ScheduleKind::constant);
  TestServer server(two);
  options.server = server.address();
  for (int wait = 0; wait < 40; wait += 5) {
    WireClient client(TestClient(two.plan, 0, source), options);
    std::this_thread::sleep_for(milliseconds(wait));
    client.connection().stop();
    client.connection().stop();
  }
}

TEST(Connection, OfTheSameNameTakesThePlaceOfAnOlderOne) {
  const auto settings = test_settings(2, ScheduleKind::constant);
  const TestSource source({3, 3});
  TestServer server(settings);
  ConnectionOptions options;
  options.server = server.address();
  WireClient older(TestClient(settings.plan, 0, source), options);
  while (server.host().status().members[0].counters.joins == 0) std::this_thread::yield();
  WireClient newer(TestClient(settings.plan, 0, source), options);
  const auto end = older.wait();
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().what.find("another client of this name"), std::string::npos);
  WireClient other(TestClient(settings.plan, 1, source), options);
  EXPECT_TRUE(newer.wait().ok());
  EXPECT_TRUE(other.wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

/// A field that no version has yet.
template <class Message>
void add_unknown(Message& message) {
  message.GetReflection()->MutableUnknownFields(&message)->AddVarint(1000, 7);
}

/// Says something that this version does not know, and then something that it does.
class LaterServer final : public v1::Federation::Service {
  grpc::Status Join(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) override {
    v1::ClientMessage hello;
    stream->Read(&hello);
    v1::ServerMessage message;
    add_unknown(message);
    stream->Write(message);
    message.mutable_refusal()->set_why("of a later version");
    message.mutable_refusal()->set_final(true);
    add_unknown(*message.mutable_refusal());
    stream->Write(message);
    return grpc::Status::OK;
  }
};

TEST(Connection, PassesOverWhatALaterServerSays) {
  LaterServer later;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&later);
  const auto server = builder.BuildAndStart();
  ConnectionOptions options;
  options.server = {"127.0.0.1", static_cast<std::uint16_t>(port)};
  const auto end = outcome_of(test_settings(1, ScheduleKind::constant), options);
  ASSERT_FALSE(end.ok());
  EXPECT_NE(end.error().what.find("of a later version"), std::string::npos) << end.error().line();
}

TEST(Connection, PassesOverWhatALaterClientSays) {
  const auto settings = test_settings(1, ScheduleKind::constant);
  const TestSource source({3});
  TestServer server(settings);
  const TestClient client(settings.plan, 0, source);
  const auto stub = v1::Federation::NewStub(
      grpc::CreateChannel(server.address().text(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->Join(&context);
  v1::ClientMessage message;
  encode(client.hello(), *message.mutable_hello());
  add_unknown(*message.mutable_hello());
  ASSERT_TRUE(stream->Write(message));
  v1::ClientMessage unknown;
  add_unknown(unknown);
  ASSERT_TRUE(stream->Write(unknown));
  encode(client.ready(), *message.mutable_ready());
  ASSERT_TRUE(stream->Write(message));
  v1::ServerMessage received;
  ASSERT_TRUE(stream->Read(&received));
  EXPECT_TRUE(received.has_welcome());
  ASSERT_TRUE(stream->Read(&received));
  EXPECT_TRUE(received.has_assignment());
  context.TryCancel();
}

class ConnectionTls : public testing::Test {
 protected:
  const FederationSettings settings_ = test_settings(1, ScheduleKind::constant);
};

TEST_F(ConnectionTls, KnowsEachOtherByCertificates) {
  const Identity signer = authority();
  TestServer server(settings_, 1, server_options(signer, "127.0.0.1"));
  ConnectionOptions options;
  options.server = server.address();
  options.tls = keys_of(signer, "c1");
  const auto end = outcome_of(settings_, options);
  EXPECT_TRUE(end.ok()) << end.error().line();
  EXPECT_EQ(server.host().status().forecasts, 3U);
}

TEST_F(ConnectionTls, RefusesAServerOfAnotherAuthorityOrName) {
  const Identity signer = authority();
  const Identity forger = authority();
  ConnectionOptions options;
  options.tls = keys_of(signer, "c1");
  {
    TestServer server(settings_, 1, server_options(forger, "127.0.0.1"));
    options.server = server.address();
    const auto end = outcome_of(settings_, options);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().what.find("no answer"), std::string::npos) << end.error().line();
  }
  TestServer server(settings_, 1, server_options(signer, "192.0.2.7"));
  options.server = server.address();
  const auto end = outcome_of(settings_, options);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().what.find("no answer"), std::string::npos) << end.error().line();
  EXPECT_EQ(server.host().status().members[0].counters.joins, 0U);
}

TEST_F(ConnectionTls, IsRefusedWithAnothersCertificateOrNone) {
  const Identity signer = authority();
  TestServer server(settings_, 1, server_options(signer, "127.0.0.1"));
  ConnectionOptions options;
  options.server = server.address();
  options.tls = keys_of(signer, "c2");
  EXPECT_FALSE(outcome_of(settings_, options).ok());
  options.tls = keys_of(authority(), "c1");
  options.tls.ca = signer.certificate;  // it trusts the server, but not the other way round
  EXPECT_FALSE(outcome_of(settings_, options).ok());
  options.tls = {"", "", signer.certificate};
  EXPECT_FALSE(outcome_of(settings_, options).ok());
  options.tls = {};
  EXPECT_FALSE(outcome_of(settings_, options).ok());
  EXPECT_EQ(server.host().status().members[0].counters.joins, 0U);
}

TEST_F(ConnectionTls, RefusesExpiredCertificates) {
  const Identity signer = authority();
  ConnectionOptions options;
  {
    TestServer server(settings_, 1, server_options(signer, "127.0.0.1", expired()));
    options.server = server.address();
    options.tls = keys_of(signer, "c1");
    const auto end = outcome_of(settings_, options);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.error().what.find("no answer"), std::string::npos) << end.error().line();
    EXPECT_EQ(server.host().status().members[0].counters.joins, 0U);
  }
  TestServer server(settings_, 1, server_options(signer, "127.0.0.1"));
  options.server = server.address();
  options.tls = keys_of(signer, "c1", expired());
  EXPECT_FALSE(outcome_of(settings_, options).ok());
  EXPECT_EQ(server.host().status().members[0].counters.joins, 0U);
}

TEST(Backoff, DoublesUpToASecondAndVaries) {
  Backoff one(1);
  Backoff other(2);
  bool different = false;
  milliseconds most = Backoff::kShortest;
  for (int n = 0; n < 10; ++n) {
    const auto delay = one.next();
    EXPECT_LE(delay, most);
    EXPECT_GE(delay, most / 2);
    different = different || delay != other.next();
    most = std::min(2 * most, Backoff::kLongest);
  }
  EXPECT_TRUE(different);
  one.reset();
  EXPECT_LE(one.next(), Backoff::kShortest);
}

}  // namespace
}  // namespace caucus::wire
