#include "caucus/wire/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caucus::wire {
namespace {

using testing::HasSubstr;

TEST(Listener, HasThePortThatTheSystemChose) {
  const auto listener = Listener::on({"127.0.0.1", 0});
  ASSERT_TRUE(listener.ok()) << listener.error().line();
  EXPECT_NE(listener->address.port, 0);
  EXPECT_EQ(listener->address.host, "127.0.0.1");
  EXPECT_EQ(listener->sockets.size(), 1U);
}

TEST(Listener, HasOnePortForAllAddressesOfAName) {
  const auto listener = Listener::on({"localhost", 0});
  ASSERT_TRUE(listener.ok()) << listener.error().line();
  EXPECT_FALSE(Listener::on({"localhost", listener->address.port}).ok());
  EXPECT_FALSE(Listener::on({"127.0.0.1", listener->address.port}).ok());
}

TEST(Listener, SaysWhyItCannot) {
  const auto first = Listener::on({"127.0.0.1", 0});
  ASSERT_TRUE(first.ok());
  const auto second = Listener::on(first->address);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::network);
  EXPECT_THAT(second.error().line(), HasSubstr(first->address.text()));
  EXPECT_THAT(second.error().line(), HasSubstr("in use"));
  EXPECT_THAT(Listener::on({"192.0.2.1", 0}).error().line(), HasSubstr("192.0.2.1:0"));
  EXPECT_THAT(Listener::on({"no-such-host.invalid", 7070}).error().line(),
              HasSubstr("no-such-host.invalid:7070: cannot be listened on: "));
}

TEST(Listener, LeavesThePortToTheNextOne) {
  std::uint16_t port = 0;
  {
    const auto listener = Listener::on({"127.0.0.1", 0});
    port = listener->address.port;
  }
  EXPECT_TRUE(Listener::on({"127.0.0.1", port}).ok());
}

}  // namespace
}  // namespace caucus::wire
