#include "options/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/config_file.hpp"

namespace caucus::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What is wrong with a [server] table.
std::string fault(const std::string& table) {
  const auto config = parse_config("[server]\n" + table + "\n", "f.toml");
  return config.ok() ? "" : config.error().line();
}

TEST(ServerSettings, AreReadFromTheirTable) {
  ServerConfig server;
  const auto config = parse_config(R"([server]
listen = "[::1]:7000"
store = "runs/a.db"
clients = ["c01", "c02"]
quorum = 1
deadline_ms = 250
durability = 100
snapshot_every = 50
label_delay = 0
features = 7
linger_ms = 500
max_abs_target = 1.5
max_feature_norm = 3
violations = 1
tokens = "tokens.txt"
tls = {cert = "a.crt", key = "a.key", client_ca = "ca.crt"}
http = "localhost:9090"
)",
                                   "f.toml", &server);
  ASSERT_TRUE(config.ok()) << config.error().line();
  EXPECT_EQ(server.listen, "[::1]:7000");
  EXPECT_EQ(server.store, "runs/a.db");
  EXPECT_THAT(server.clients, ElementsAre("c01", "c02"));
  EXPECT_EQ(server.quorum, 1U);
  EXPECT_EQ(server.deadline_ms, 250U);
  EXPECT_EQ(server.durability, 100U);
  EXPECT_EQ(server.snapshot_every, 50U);
  EXPECT_EQ(server.label_delay, 0U);
  EXPECT_EQ(server.features, 7U);
  EXPECT_EQ(server.linger_ms, 500U);
  EXPECT_EQ(server.max_abs_target, 1.5);
  EXPECT_EQ(server.max_feature_norm, 3.0);
  EXPECT_EQ(server.violations, 1U);
  EXPECT_EQ(server.tokens, "tokens.txt");
  EXPECT_EQ(server.cert, "a.crt");
  EXPECT_EQ(server.key, "a.key");
  EXPECT_EQ(server.client_ca, "ca.crt");
  EXPECT_EQ(server.http, "localhost:9090");
}

TEST(ServerSettings, HaveDefaults) {
  ServerConfig server;
  ASSERT_TRUE(parse_config("", "f.toml", &server).ok());
  EXPECT_EQ(server.listen, "localhost:7070");
  EXPECT_EQ(server.durability, 1U);
  EXPECT_EQ(server.snapshot_every, 1000U);
  EXPECT_EQ(server.label_delay, 16U);
  EXPECT_EQ(server.violations, 3U);
  EXPECT_FALSE(server.quorum || server.deadline_ms || server.has_tls());
}

TEST(ServerSettings, PrintedAreReadBackTheSame) {
  ServerConfig server;
  const auto config = parse_config(
      "[server]\nclients = [\"a\", \"b\"]\ndurability = \"batch\"\n"
      "[server.tls]\ncert = \"x.crt\"\nkey = \"x.key\"\n",
      "f.toml", &server);
  ASSERT_TRUE(config.ok()) << config.error().line();
  const std::string printed = config_toml(*config, &server);
  EXPECT_THAT(printed, HasSubstr("durability = \"batch\"\n"));
  EXPECT_THAT(printed, HasSubstr("tls.key = \"x.key\"\n"));
  EXPECT_EQ(printed.find("[federation]"), std::string::npos);
  ServerConfig again;
  const auto read = parse_config(printed, "again.toml", &again);
  ASSERT_TRUE(read.ok()) << read.error().line();
  EXPECT_EQ(config_toml(*read, &again), printed);
  EXPECT_EQ(config_toml(*config).find("[server]"), std::string::npos);  // a run has none
}

TEST(ServerSettings, MisspeltKeysAreErrorsWithAGuess) {
  EXPECT_THAT(fault("quorun = 2"), HasSubstr("did you mean 'quorum'?"));
  EXPECT_THAT(fault("tls = {cret = \"a\"}"), HasSubstr("did you mean 'tls.cert'?"));
  const auto table = parse_config("[sever]\n", "f.toml");
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(table.error().line(), HasSubstr("did you mean 'server'?"));
}

TEST(ServerSettings, WrongValuesAreErrorsWithTheirPlace) {
  EXPECT_THAT(fault("quorum = 0"), HasSubstr("f.toml:2: server.quorum: '0' is not valid"));
  EXPECT_THAT(fault("clients = [\"c01\", \"../x\"]"), HasSubstr("server.clients"));
  EXPECT_THAT(fault("clients = []"), HasSubstr("server.clients"));
  EXPECT_THAT(fault("listen = \"7070\""), HasSubstr("server.listen"));
  EXPECT_THAT(fault("http = \"localhost:99999\""), HasSubstr("server.http"));
  EXPECT_THAT(fault("durability = \"never\""), HasSubstr("expected \"batch\" or at most 4096"));
  EXPECT_THAT(fault("durability = 4097"), HasSubstr("at most 4096"));
  EXPECT_THAT(fault("durability = 0"), HasSubstr("server.durability"));
  EXPECT_THAT(fault("max_abs_target = -1"), HasSubstr("expected a positive number"));
  EXPECT_THAT(fault("deadline_ms = 99999999999999999999"), HasSubstr("f.toml:2"));
  EXPECT_THAT(fault("tls = 3"), HasSubstr("f.toml:2: 'server.tls' is not a table"));
}

TEST(ServerSettings, ErrorsAboutThemNameThePlaceWhereTheyWereGiven) {
  ServerConfig server;
  const auto config = parse_config(
      "[algorithm]\nsample = 9\n[server]\ndeadline_ms = 5\nclients = \"c1\"\n", "f.toml", &server);
  ASSERT_TRUE(config.ok());
  const auto where = [&](const char* field, const ServerConfig* of) {
    return located(usage_error(field, "is wrong"), *config, of).where;
  };
  EXPECT_EQ(where("sample_size", &server), "f.toml:2: algorithm.sample");
  EXPECT_EQ(where("deadline", &server), "f.toml:4: server.deadline_ms");
  EXPECT_EQ(where("clients", &server), "f.toml:5: server.clients");
  EXPECT_EQ(where("clients", nullptr), "--clients");
  EXPECT_EQ(where("robust", &server), "algorithm.robust");
  EXPECT_EQ(where("fixed_share", nullptr), "--fixed-share");
  EXPECT_EQ(where("space 'linear'", &server), "space 'linear'");
}

}  // namespace
}  // namespace caucus::cli
