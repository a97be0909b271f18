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

/// Two clients who are in a hurry, until the second takes its time: the first has reported, and
/// what it says next is not read before the next assignment.
class Hurry {
 public:
  explicit Hurry(milliseconds rest_at_most)
      : server(test_settings(2, ScheduleKind::constant), 1000, options(rest_at_most)),
        first(server.address().text(), "c1", 1000),
        second(server.address().text(), "c2", 1000) {
    EXPECT_TRUE(first.hear() && second.hear());  // it begins when both are ready
    hear_both();
    auto soon = milliseconds::max();
    for (int batch = 1; batch < 500 && (batch < 3 || soon > milliseconds(10)); ++batch) {
      const auto asked = std::chrono::steady_clock::now();
      first.report(false);
      second.report(false);
      hear_both();
      soon = std::chrono::ceil<milliseconds>(std::chrono::steady_clock::now() - asked);
    }
    EXPECT_LE(soon, milliseconds(10)) << "nobody was in a hurry";
    open = second.heard().assignment().batch();
    first.report(false);
    wait_for([](const Member& member) { return member.answered; });
  }
  void hear_both() {
    EXPECT_TRUE(first.hear_assignment());
    EXPECT_TRUE(second.hear_assignment());
  }
  /// Of the first client.
  void wait_for(const std::function<bool(const Member&)>& what) {
    const auto begun = std::chrono::steady_clock::now();
    while (!server.host().look([&](const Federation& f) { return what(f.members()[0]); })) {
      ASSERT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  void wait_until_gone() {
    wait_for([](const Member& member) { return !member.connected; });
  }
  /// What was reported counts, and the others do not wait for whoever is gone.
  void expect_to_go_on() {
    second.report(false);
    EXPECT_TRUE(second.hear_assignment());
    EXPECT_EQ(second.heard().assignment().batch(), open + 1);
    server.host().look([&](const Federation& f) {
      EXPECT_EQ(f.members()[0].counted, open);
      EXPECT_EQ(f.members()[0].counters.repeated, 0U);
      return 0;
    });
  }

 private:
  static ServerOptions options(milliseconds rest_at_most) {
    ServerOptions options;
    options.hello_within = 8 * rest_at_most;
    options.rest_at_most = rest_at_most;
    return options;
  }

 public:
  TestServer server;
  ClientByHand first, second;
  std::uint64_t open = 0;  ///< the batch that the second has not answered
};

TEST(Session, SeesAClientGoWhileTheOthersTakeTheirTime) {
  Hurry hurry(milliseconds(50));
  hurry.first.say_no_more();
  EXPECT_TRUE(hurry.first.end().ok());
  hurry.wait_until_gone();
  hurry.expect_to_go_on();
}

TEST(Session, SeesAClientVanishWhileTheOthersTakeTheirTime) {
  Hurry hurry(milliseconds(75'000));  // only by its vanishing
  hurry.first.vanish();
  hurry.wait_until_gone();
  EXPECT_EQ(hurry.first.end().error_code(), grpc::StatusCode::CANCELLED);
  hurry.expect_to_go_on();
}

TEST(Session, ReadsAfterTheNextAssignmentWhatWasSaidBefore) {
  Hurry hurry(milliseconds(75'000));  // only by the assignment
  hurry.first.say_no_more();
  hurry.expect_to_go_on();
  EXPECT_TRUE(hurry.first.end().ok());
  hurry.wait_until_gone();
}

}  // namespace
}  // namespace caucus::wire
