#include "caucus/federation/security/client_name.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caucus {
namespace {

TEST(ClientName, IsLettersDigitsAndThreeSigns) {
  for (const std::string name : {"c", "c01", "0", "_x", "Plant-7_b.north", "a..b."}) {
    EXPECT_TRUE(is_client_name(name)) << name;
    EXPECT_TRUE(check_client_name(name, "--client").ok()) << name;
  }
  EXPECT_TRUE(is_client_name(std::string(64, 'x')));
}

TEST(ClientName, RefusesWhatCouldBeAPathAFlagOrALine) {
  for (const std::string& name :
       {std::string(), std::string(65, 'x'), std::string("."), std::string(".."),
        std::string(".hidden"), std::string("-f"), std::string("a/b"), std::string("a b"),
        std::string("a\nb"), std::string("a\0b", 3), std::string("caf\xc3\xa9"), std::string("a#"),
        std::string("*")}) {
    EXPECT_FALSE(is_client_name(name)) << name;
    const auto status = check_client_name(name, "--client");
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().kind, ErrorKind::usage);
    EXPECT_EQ(status.error().where, "--client");
  }
}

TEST(ClientName, AnEndlessNameMakesAShortError) {
  const auto status = check_client_name(std::string(100'000, 'x'), "--client");
  ASSERT_FALSE(status.ok());
  EXPECT_LT(status.error().line().size(), 300u);
  EXPECT_THAT(status.error().line(), testing::HasSubstr("xxx..."));
}

}  // namespace
}  // namespace caucus
