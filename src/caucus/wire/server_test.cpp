#include "caucus/wire/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

using testing::HasSubstr;

TEST(Server, TellsThePortThatTheSystemChose) {
  TestServer server(test_settings(1, ScheduleKind::constant));
  EXPECT_EQ(server.address().host, "127.0.0.1");
  EXPECT_NE(server.address().port, 0);
}

TEST(Server, SaysThatItCannotListen) {
  TestServer first(test_settings(1, ScheduleKind::constant));
  const auto second_at = [&](const Address& address) {
    ServerOptions options;
    options.listen = address;
    const auto second = Server::start(first.host(), options);
    return second.ok() ? "" : second.error().line();
  };
  for (const Address& address :
       {first.address(), Address{"192.0.2.1", 0}, Address{"no-such-host.invalid", 7070}}) {
    EXPECT_THAT(second_at(address), HasSubstr(address.text() + ": cannot be listened on"));
  }
}

TEST(Server, LeavesThePortToTheNextOne) {
  TestServer server(test_settings(1, ScheduleKind::constant));
  server.kill();
  server.start();
}

}  // namespace
}  // namespace caucus::wire
