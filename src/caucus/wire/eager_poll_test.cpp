#include "caucus/wire/eager_poll.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "caucus/wire/one_poller.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// An event that can be waited for by epoll_wait.
class Event {
 public:
  Event() {
    epoll_event interest{};
    interest.events = EPOLLIN;
    EXPECT_EQ(epoll_ctl(epoll_, EPOLL_CTL_ADD, event_, &interest), 0);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&&) = delete;
  Event& operator=(Event&&) = delete;
  ~Event() {
    close(event_);
    close(epoll_);
  }
  void happen() const { EXPECT_EQ(eventfd_write(event_, 1), 0); }
  void be_over() const {
    eventfd_t value = 0;
    EXPECT_EQ(eventfd_read(event_, &value), 0);
  }
  [[nodiscard]] int wait(int timeout) const {
    epoll_event came{};
    return epoll_wait(epoll_, &came, 1, timeout);
  }

 private:
  const int epoll_ = epoll_create1(0), event_ = eventfd(0, EFD_NONBLOCK);
};

/// Whatever was before it: the thread is new.
template <class Function>
void in_a_thread(const Function& function) {
  std::thread(function).join();
}

TEST(EagerPoll, FindsWhatIsThere) {
  const EagerPoll eager_poll;
  in_a_thread([] {
    const Event event;
    event.happen();
    const std::uint64_t before = EagerPoll::found();
    for (const int timeout : {-1, 0, 1, 1000}) EXPECT_EQ(event.wait(timeout), 1);
    EXPECT_EQ(EagerPoll::found(), before + 3);  // who does not want to wait is not made to
  });
}

TEST(EagerPoll, WaitsAsLongAsItShould) {
  const EagerPoll eager_poll;
  in_a_thread([] {
    const Event event;
    for (int n = 0; n < 3; ++n) {
      const auto begun = Clock::now();
      EXPECT_EQ(event.wait(30), 0);
      EXPECT_GE(Clock::now() - begun, milliseconds(30));
    }
    EXPECT_EQ(event.wait(0), 0);
  });
}

TEST(EagerPoll, WakesForWhatComesLate) {
  const EagerPoll eager_poll;
  in_a_thread([] {
    const Event event;
    for (int n = 0; n < 3; ++n) {
      std::thread other([&] {
        std::this_thread::sleep_for(milliseconds(20));
        event.happen();
      });
      EXPECT_EQ(event.wait(-1), 1);
      event.be_over();
      other.join();
    }
  });
}

TEST(EagerPoll, GivesUpWhereNothingComesSoonAndHopesAgain) {
  const EagerPoll eager_poll;
  in_a_thread([] {
    const Event event;
    EXPECT_EQ(event.wait(5), 0);
    event.happen();
    const std::uint64_t before = EagerPoll::found();
    EXPECT_EQ(event.wait(5), 1);
    EXPECT_EQ(EagerPoll::found(), before) << "it looked although the last wait was in vain";
    for (int n = 0; n < 100 && EagerPoll::found() == before; ++n) EXPECT_EQ(event.wait(5), 1);
    EXPECT_GT(EagerPoll::found(), before);
  });
}

TEST(EagerPoll, TellsErrors) {
  const EagerPoll eager_poll;
  in_a_thread([] {
    epoll_event came{};
    EXPECT_EQ(epoll_wait(-1, &came, 1, 10), -1);
    EXPECT_EQ(errno, EBADF);
    const Event event;
    const int epoll = epoll_create1(0);
    EXPECT_EQ(epoll_wait(epoll, &came, 0, 10), -1);
    EXPECT_EQ(errno, EINVAL);
    close(epoll);
  });
}

TEST(EagerPoll, DoesNothingWhileNoneLives) {
  in_a_thread([] {
    const Event event;
    event.happen();
    const std::uint64_t before = EagerPoll::found();
    EXPECT_EQ(event.wait(10), 1);
    EXPECT_EQ(EagerPoll::found(), before);
  });
}

TEST(EagerPoll, IsWhatGrpcWaitsBy) {
  const OnePoller one_poller;
  const EagerPoll eager_poll;
  const std::uint64_t before = EagerPoll::found();
  const TestSource source({200, 200});
  const auto settings = test_settings(2, ScheduleKind::theory, 1);
  TestServer server(settings);
  std::vector<std::unique_ptr<WireClient>> clients;
  for (std::uint32_t j = 0; j < 2; ++j) {
    ConnectionOptions options;
    options.server = server.address();
    clients.push_back(
        std::make_unique<WireClient>(TestClient(settings.plan, j, source), std::move(options)));
  }
  for (const auto& client : clients) EXPECT_TRUE(client->wait().ok());
  EXPECT_EQ(server.learned(), simulated(settings, source));
  EXPECT_GT(EagerPoll::found(), before);
}

}  // namespace
}  // namespace caucus::wire
