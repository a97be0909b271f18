// Several threads on one connection.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "caucus/federation/test_settings.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/codec.hpp"
#include "caucus/wire/connection.hpp"

namespace caucus::wire {
namespace {

/// Welcomes whoever comes and counts those who report first.
class CountingServer final : public v1::Federation::Service {
 public:
  std::atomic<int> ready = 0, reports = 0;

 private:
  grpc::Status Join(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) override {
    v1::ClientMessage said;
    stream->Read(&said);
    v1::ServerMessage message;
    encode(WelcomeRecord{{}, 0, 0, test_settings(1, ScheduleKind::constant).plan},
           *message.mutable_welcome());
    stream->Write(message);
    if (stream->Read(&said)) ++(said.has_ready() ? ready : reports);
    message.mutable_refusal()->set_final(true);
    stream->Write(message);
    return grpc::Status::OK;
  }
};

constexpr int kTimes = 100;

TEST(ConnectionThreads, SayThatTheyAreReadyBeforeAnyReport) {
  CountingServer service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  ConnectionOptions options;
  options.server = {"127.0.0.1", static_cast<std::uint16_t>(port)};
  for (int n = 0; n < kTimes; ++n) {
    std::atomic<bool> over = false;
    ConnectionEvents events;
    events.on_end = [&](const Status&) { over = true; };
    Connection connection(options, std::move(events));
    connection.ready({3, 4, 0});
    std::vector<std::thread> reporters;  // of a batch that was given on an earlier stream, say
    reporters.reserve(4);
    for (int k = 0; k < 4; ++k) {
      reporters.emplace_back([&] {
        while (!over) connection.report({1, {}, {}, false});
      });
    }
    connection.start();
    for (std::thread& reporter : reporters) reporter.join();
    connection.stop();
  }
  EXPECT_GE(service.ready, kTimes);
  EXPECT_EQ(service.reports, 0);
}

}  // namespace
}  // namespace caucus::wire
