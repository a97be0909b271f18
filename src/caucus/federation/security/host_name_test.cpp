#include "caucus/federation/security/address.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

TEST(HostName, IsANameOrAnAddress) {
  for (const std::string host : {"localhost", "server.example", "a-1.b", "*.example.org",
                                 "3com.com", "127.0.0.1", "::1", "fe80::1"}) {
    EXPECT_TRUE(check_host(host, "--host").ok()) << host;
  }
  EXPECT_TRUE(check_host(std::string(63, 'x') + ".org", "--host").ok());
}

TEST(HostName, RefusesOthers) {
  for (const std::string& host : {std::string(),
                                  std::string("."),
                                  std::string("a..b"),
                                  std::string("a."),
                                  std::string(".a"),
                                  std::string("-a"),
                                  std::string("a-"),
                                  std::string("a.-b"),
                                  std::string("a_b"),
                                  std::string("a b"),
                                  std::string("a,DNS:b"),
                                  std::string("host:80"),
                                  std::string("[::1]"),
                                  std::string("1.2.3"),
                                  std::string("1.2.3.256"),
                                  std::string("*"),
                                  std::string("*."),
                                  std::string("a.*.b"),
                                  std::string("127.0.0.1\0x", 11),
                                  std::string("caf\xc3\xa9.fr"),
                                  std::string(64, 'x') + ".org",
                                  std::string(300, 'x')}) {
    const auto status = check_host(host, "--host");
    ASSERT_FALSE(status.ok()) << host;
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
    EXPECT_EQ(status.error().where, "--host");
  }
}

TEST(HostName, AddressesAreBytesInNetworkOrder) {
  EXPECT_EQ(address_bytes("1.2.3.4"), (std::vector<unsigned char>{1, 2, 3, 4}));
  EXPECT_EQ(address_bytes("::1")->size(), 16u);
  EXPECT_EQ(address_bytes("::1")->back(), 1);
  EXPECT_FALSE(address_bytes("localhost"));
}

}  // namespace
}  // namespace caucus
