#include "caucus/federation/security/address.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

TEST(Address, IsHostAndPort) {
  const auto name = parse_address("server.example:7070", "--listen");
  ASSERT_TRUE(name.ok());
  EXPECT_EQ(name->host, "server.example");
  EXPECT_EQ(name->port, 7070);
  EXPECT_EQ(name->text(), "server.example:7070");
  const auto six = parse_address("[::1]:0", "--listen");
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->text(), "[::1]:0");
}

TEST(Address, RefusesOthers) {
  for (const char* text : {"", ":", "host", "host:", ":80", "host:x", "host:65536", "host:-1",
                           "::1:80", "[]:80", "[::1:80", "a b:80", "host:80 ", "http://host:80"}) {
    const auto address = parse_address(text, "--listen");
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().kind, ErrorKind::usage);
    EXPECT_EQ(address.error().where, "--listen");
  }
}

TEST(Address, OfAServerHasAPort) {
  EXPECT_EQ(parse_server_address("localhost:7", "--server")->port, 7);
  EXPECT_EQ(parse_server_address("localhost:0", "--server").error().where, "--server");
  EXPECT_FALSE(parse_server_address("localhost", "--server").ok());
}

TEST(Address, KnowsLoopback) {
  for (const char* host : {"localhost", "127.0.0.1", "127.8.9.1", "::1"}) {
    EXPECT_TRUE((Address{host, 1}).is_loopback()) << host;
  }
  for (const char* host :
       {"0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.example", "localhost.evil"}) {
    EXPECT_FALSE((Address{host, 1}).is_loopback()) << host;
  }
}

}  // namespace
}  // namespace caucus
