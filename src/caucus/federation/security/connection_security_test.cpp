#include "caucus/federation/security/connection_security.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

const Address kHere{"127.0.0.1", 7400};
const Address kElsewhere{"192.0.2.1", 7400};

TEST(ConnectionSecurity, IsAskedForOutsideOfThisMachine) {
  EXPECT_TRUE(check_security(kHere, {}, false).ok());
  EXPECT_TRUE(check_security(kElsewhere, {"", "", "authority"}, false).ok());
  EXPECT_TRUE(check_security(kElsewhere, {}, true).ok());
  const auto refused = check_security(kElsewhere, {}, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_NE(refused.error().line().find("authority's certificate"), std::string::npos);
}

TEST(ConnectionSecurity, WantsWhatBelongsTogether) {
  EXPECT_TRUE(check_security(kHere, {"certificate", "key", "authority"}, false).ok());
  EXPECT_FALSE(check_security(kHere, {"certificate", "", "authority"}, false).ok());
  EXPECT_FALSE(check_security(kHere, {"", "key", "authority"}, false).ok());
  EXPECT_FALSE(check_security(kHere, {"certificate", "key", ""}, false).ok());
  EXPECT_FALSE(check_security(kElsewhere, {"", "", "authority"}, true).ok());
}

}  // namespace
}  // namespace caucus
