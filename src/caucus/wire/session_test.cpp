#include "caucus/wire/session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "caucus/wire/test_by_hand.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

using std::chrono::milliseconds;

/// Two clients of whom the first has reported and the second takes its time.
class HalfABatch {
 public:
  HalfABatch()
      : server(test_settings(2, ScheduleKind::constant), 1000),
        first(server.address().text(), "c1", 1000),
        second(server.address().text(), "c2", 1000) {
    EXPECT_TRUE(first.receive() && second.receive());  // the run begins when both are ready
    EXPECT_TRUE(first.receive_assignment());
    EXPECT_TRUE(second.receive_assignment());
    first.report(false);
    wait_for([](const Member& member) { return member.answered; });
  }
  /// Waits for something of the first client.
  void wait_for(const std::function<bool(const Member&)>& what) {
    const auto started = std::chrono::steady_clock::now();
    while (!server.host().look([&](const Federation& f) { return what(f.members()[0]); })) {
      ASSERT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  void wait_until_gone() {
    wait_for([](const Member& member) { return !member.connected; });
  }
  /// What was reported counts, and the others do not wait for a client that is gone.
  void expect_to_go_on() {
    second.report(false);
    EXPECT_TRUE(second.receive_assignment());
    EXPECT_EQ(second.received().assignment().batch(), 2U);
    server.host().look([&](const Federation& f) {
      EXPECT_EQ(f.members()[0].counted, 1U);
      EXPECT_EQ(f.members()[0].counters.repeated, 0U);
      return 0;
    });
  }

  TestServer server;
  ClientByHand first, second;
};

TEST(Session, SeesAClientGoWhileTheOthersTakeTheirTime) {
  HalfABatch batch;
  batch.first.say_no_more();
  EXPECT_TRUE(batch.first.end().ok());
  batch.wait_until_gone();
  batch.expect_to_go_on();
}

TEST(Session, SeesAClientVanishWhileTheOthersTakeTheirTime) {
  HalfABatch batch;
  batch.first.vanish();
  batch.wait_until_gone();
  EXPECT_EQ(batch.first.end().error_code(), grpc::StatusCode::CANCELLED);
  batch.expect_to_go_on();
}

}  // namespace
}  // namespace caucus::wire
