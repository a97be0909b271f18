#include "serving/certificate_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "caucus/credentials.hpp"
#include "caucus/data/test_files.hpp"
#include "caucus/federation/security/tokens.hpp"
#include "caucus/federation/security/verify_chain_test.hpp"

namespace caucus::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::int64_t kNow = std::time(nullptr);
const std::vector<std::string> kHosts = {"localhost", "::1"};

class CertificateDirectory : public testing::Test {
 protected:
  [[nodiscard]] CertificateOrder order(std::vector<std::string> clients) const {
    return {files.path("certs"), std::move(clients), 30, kNow};
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return files.read("certs/" + name);
  }
  [[nodiscard]] bool verifies(const std::string& name, int purpose) const {
    return verify_chain(read(name + ".pem"), read("ca.pem"), {purpose, kNow, ""}) == X509_V_OK;
  }
  [[nodiscard]] bool may_enter(const std::string& client) const {
    const auto token = read_token(files.path("certs/" + client + ".token"), "--token");
    const auto known = TokenFile::read(files.path("certs/tokens"));
    return token.ok() && token->warning.empty() && known.ok() && known->allows(client, token->text);
  }
  [[nodiscard]] bool is_whole(const std::string& name) const {
    const std::string stem = files.path("certs/" + name);
    return read_tls({stem + ".pem", stem + ".key", files.path("certs/ca.pem")}, {}).ok();
  }
  /// Every file with its content.
  [[nodiscard]] std::string all() const {
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(files.path("certs"))) {
      names.push_back(each.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) text += name + ":" + read(name);
    return text;
  }

  TestFiles files;
};

TEST_F(CertificateDirectory, HoldsWhatServerAndClientsNeedToTrustEachOther) {
  const auto names = make_certificates(order({"c01", "c02"}), kHosts, false);
  ASSERT_TRUE(names.ok()) << names.error().line();
  EXPECT_THAT(*names,
              ElementsAre("ca.pem", "ca.key", "server.pem", "server.key", "c01.pem", "c01.key",
                          "c01.token", "c02.pem", "c02.key", "c02.token", "tokens"));
  EXPECT_TRUE(verifies("server", X509_PURPOSE_SSL_SERVER));
  EXPECT_TRUE(is_whole("server"));
  for (const char* client : {"c01", "c02"}) {
    EXPECT_TRUE(verifies(client, X509_PURPOSE_SSL_CLIENT));
    EXPECT_TRUE(is_whole(client));
    EXPECT_TRUE(may_enter(client));
  }
  for (const std::string& name : *names) {
    struct stat info {};
    ASSERT_EQ(stat(files.path("certs/" + name).c_str(), &info), 0) << name;
    EXPECT_TRUE(name.ends_with(".pem") || (info.st_mode & 0777) == 0600) << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(files.path("certs")), {}), 11);
}

TEST_F(CertificateDirectory, IsNotTouchedWhereAnyOfTheFilesExists) {
  std::filesystem::create_directory(files.path("certs"));
  files.write("certs/c02.token", "mine");
  const auto refused = make_certificates(order({"c01", "c02"}), kHosts, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().line(), HasSubstr("certs/c02.token: already exists"));
  EXPECT_EQ(all(), "c02.token:mine");
  ASSERT_TRUE(make_certificates(order({"c01", "c02"}), kHosts, true).ok());
  EXPECT_TRUE(may_enter("c02"));
}

TEST_F(CertificateDirectory, ForceMakesAnotherAuthority) {
  ASSERT_TRUE(make_certificates(order({"c01"}), kHosts, false).ok());
  const std::string old = read("c01.pem");
  ASSERT_TRUE(make_certificates(order({"c01"}), kHosts, true).ok());
  EXPECT_TRUE(verifies("c01", X509_PURPOSE_SSL_CLIENT));
  EXPECT_NE(verify_chain(old, read("ca.pem"), {X509_PURPOSE_SSL_CLIENT, kNow, ""}), X509_V_OK);
}

TEST_F(CertificateDirectory, TakesFurtherClients) {
  ASSERT_TRUE(make_certificates(order({"c01"}), kHosts, false).ok());
  files.write("certs/tokens", read("tokens") + "# by hand, without an end of the line");
  const auto names = add_client_certificates(order({"c02", "c03"}));
  ASSERT_TRUE(names.ok()) << names.error().line();
  EXPECT_THAT(*names, ElementsAre("c02.pem", "c02.key", "c02.token", "c03.pem", "c03.key",
                                  "c03.token", "tokens"));
  for (const char* client : {"c01", "c02", "c03"}) {
    EXPECT_TRUE(verifies(client, X509_PURPOSE_SSL_CLIENT)) << client;
    EXPECT_TRUE(may_enter(client)) << client;
  }
  EXPECT_THAT(read("tokens"), HasSubstr("# by hand"));
}

TEST_F(CertificateDirectory, ARefusedClientChangesNothing) {
  ASSERT_TRUE(make_certificates(order({"c01"}), kHosts, false).ok());
  files.write("certs/c03.key", "mine");
  const std::string before = all();
  for (const std::string name : {"c01", "c03", "ca", "server", "../x", "c04"}) {
    auto clients = order({"c02", name});
    if (name == "c04") clients.clients.emplace_back("c02");  // twice
    const auto refused = add_client_certificates(clients);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::usage) << name;
  }
  auto late = order({"c02"});
  late.now += 40 * 86'400;
  const auto refused = add_client_certificates(late);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().line(), HasSubstr("has expired"));
  EXPECT_EQ(all(), before);
}

TEST_F(CertificateDirectory, WithoutAWholeAuthorityNobodyIsAdded) {
  EXPECT_FALSE(add_client_certificates(order({"c02"})).ok());
  for (const std::string name : {"ca.pem", "ca.key", "tokens"}) {
    ASSERT_TRUE(make_certificates(order({"c01"}), kHosts, true).ok());
    std::filesystem::remove(files.path("certs/" + name));
    const auto refused = add_client_certificates(order({"c02"}));
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().line(), HasSubstr("certs/" + name));
    files.write("certs/" + name, "nonsense");
    EXPECT_FALSE(add_client_certificates(order({"c02"})).ok()) << name;
  }
}

TEST_F(CertificateDirectory, BadOrdersLeaveNoDirectory) {
  EXPECT_FALSE(make_certificates(order({"a/b"}), kHosts, false).ok());
  EXPECT_FALSE(make_certificates(order({"ca"}), kHosts, false).ok());
  EXPECT_FALSE(make_certificates(order({"c01", "c01"}), kHosts, false).ok());
  EXPECT_FALSE(make_certificates(order({"c01"}), {"host:80"}, false).ok());
  EXPECT_EQ(files.count(), 0u);
}

TEST_F(CertificateDirectory, ClientsAddedAtTheSameTimeAreAllThere) {
  ASSERT_TRUE(make_certificates(order({}), kHosts, false).ok());
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int k = 0; k < 8; ++k) {
    threads.emplace_back(
        [&, k] { EXPECT_TRUE(add_client_certificates(order({"c" + std::to_string(k)})).ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(may_enter("c" + std::to_string(k)));
}

}  // namespace
}  // namespace caucus::cli
