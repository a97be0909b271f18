#include "serving/stop_signals.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace caucus::cli {
namespace {

TEST(StopSignals, BecomeACallOnAThread) {
  std::atomic<int> calls = 0;
  {
    StopSignals signals;
    signals.watch([&] { ++calls; });
    EXPECT_FALSE(signals.came());
    kill(getpid(), SIGTERM);
    while (!signals.came() || calls == 0) std::this_thread::yield();
  }
  EXPECT_EQ(calls, 1);
}

TEST(StopSignals, NotComingIsNoCall) {
  std::atomic<int> calls = 0;
  {
    StopSignals signals;
    signals.watch([&] { ++calls; });
  }
  EXPECT_EQ(calls, 0);
}

TEST(StopSignals, WhoComesWhenAllIsDoneEndsNothing) {
  StopSignals signals;
  signals.watch([] {});
  signals.unwatch();
  kill(getpid(), SIGTERM);  // would end this process when the signals are let through again
}

TEST(StopSignalsDeathTest, TheSecondEndsWhatTheFirstDoesNot) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto be_stuck = [] {
    StopSignals signals;
    signals.watch([] { std::this_thread::sleep_for(std::chrono::seconds(60)); });
    kill(getpid(), SIGTERM);
    while (!signals.came()) std::this_thread::yield();
    kill(getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::seconds(60));
  };
  EXPECT_EXIT(be_stuck(), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace caucus::cli
