#include "caucus/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <ctime>
#include <filesystem>

#include "caucus/data/test_files.hpp"
#include "caucus/federation/security/certificates.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;
using testing::Not;

const TlsFiles kFlags{"--cert", "--key", "--ca"};

std::string under_a_passphrase(const std::string& key_pem) {
  const auto key = parse_key(key_pem, "key");
  const OwnedBio bio(BIO_new(BIO_s_mem()));
  std::string passphrase = "open sesame";
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key->get(), EVP_aes_128_cbc(), passphrase.data(),
                                static_cast<int>(passphrase.size()), nullptr, nullptr);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(BIO_read(bio.get(), text.data(), 4096)));
  return text;
}

class TlsFilesTest : public testing::Test {
 protected:
  TlsFilesTest() {
    const Validity validity = Validity::days_from(std::time(nullptr), 30);
    authority = make_authority(validity).value();
    client = make_client_identity(authority, "c01", validity).value();
    paths = {files.write("c01.pem", client.certificate), files.write("c01.key", client.key),
             files.write("ca.pem", authority.certificate)};
  }

  [[nodiscard]] std::string error_of(const TlsFiles& given) const {
    const auto texts = read_tls(given, kFlags);
    if (texts.ok()) return {};
    EXPECT_EQ(texts.error().kind, ErrorKind::usage);
    EXPECT_THAT(texts.error().line(), Not(HasSubstr(client.key.substr(30, 40))));
    return texts.error().line();
  }

  TestFiles files;
  Identity authority, client;
  TlsFiles paths;
};

TEST_F(TlsFilesTest, AKeyThatOthersCanReadDrawsAWarning) {
  using std::filesystem::perms;
  const perms owner = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(paths.key, owner);
  EXPECT_EQ(read_tls(paths, kFlags)->warning, "");
  for (const perms other : {perms::group_read, perms::others_read}) {
    std::filesystem::permissions(paths.key, owner | other);
    EXPECT_EQ(read_tls(paths, kFlags)->warning,
              "--key " + paths.key + ": others can read it; it should have mode 0600");
  }
}

TEST_F(TlsFilesTest, AreReadWhole) {
  const auto texts = read_tls(paths, kFlags);
  ASSERT_TRUE(texts.ok()) << texts.error().line();
  EXPECT_EQ(texts->cert, client.certificate);
  EXPECT_EQ(texts->key, client.key);
  EXPECT_EQ(texts->ca, authority.certificate);
}

TEST_F(TlsFilesTest, MayBeTheAuthorityAloneOrNothing) {
  const auto texts = read_tls({"", "", paths.ca}, kFlags);
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->cert, "");
  EXPECT_EQ(texts->ca, authority.certificate);
  EXPECT_TRUE(read_tls({}, kFlags).ok());
  EXPECT_FALSE(TlsFiles{}.any());
  EXPECT_TRUE(paths.any());
}

TEST_F(TlsFilesTest, ChainsAndListsOfAuthoritiesAreRead) {
  paths.ca = files.write("all.pem", authority.certificate + "# another\n" + authority.certificate);
  paths.cert = files.write("chain.pem", client.certificate + authority.certificate);
  EXPECT_EQ(error_of(paths), "");
}

TEST_F(TlsFilesTest, CertificateAndKeyComeTogether) {
  EXPECT_THAT(error_of({paths.cert, "", ""}), HasSubstr("--cert: is there without --key"));
  EXPECT_THAT(error_of({"", paths.key, ""}), HasSubstr("--key: is there without --cert"));
}

TEST_F(TlsFilesTest, OnesOwnCertificateMustNotHaveExpired) {
  const std::time_t now = std::time(nullptr);
  const Identity old = make_client_identity(authority, "c01", {now - 9, now - 1}).value();
  const TlsFiles given{files.write("old.pem", old.certificate), files.write("old.key", old.key),
                       paths.ca};
  EXPECT_THAT(error_of(given), HasSubstr("--cert " + given.cert + ": has expired"));
  const Identity young = make_client_identity(authority, "c01", {now + 900, now + 999}).value();
  EXPECT_THAT(error_of({files.write("young.pem", young.certificate),
                        files.write("young.key", young.key), paths.ca}),
              HasSubstr("is not valid yet"));
}

TEST_F(TlsFilesTest, ErrorsNameTheFlagTheFileAndTheFault) {
  const std::string nowhere = files.path("nowhere");
  EXPECT_THAT(error_of({paths.cert, paths.key, nowhere}),
              HasSubstr("--ca " + nowhere + ": cannot be read"));
  EXPECT_THAT(error_of({paths.cert, files.path(""), paths.ca}), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of({files.write("text", "hello"), paths.key, paths.ca}),
              HasSubstr("text: is not PEM text"));
  EXPECT_THAT(error_of({paths.cert, paths.cert, paths.ca}),
              HasSubstr("--key " + paths.cert + ": has no private key"));
  EXPECT_THAT(error_of({paths.key, paths.key, paths.ca}), HasSubstr("--cert"));
  EXPECT_THAT(error_of({paths.cert, paths.key, paths.key}), HasSubstr("has no certificate"));
  EXPECT_THAT(
      error_of({paths.cert, files.write("locked", under_a_passphrase(client.key)), paths.ca}),
      HasSubstr("under a passphrase"));
  EXPECT_THAT(error_of({paths.cert, files.write("ca.key", authority.key), paths.ca}),
              HasSubstr("does not belong to " + paths.cert));
  std::string broken = authority.certificate;
  broken.replace(100, 4, "AAAA");
  EXPECT_THAT(error_of({"", "", files.write("broken", broken)}), HasSubstr("certificate"));
  EXPECT_THAT(error_of({"", "", files.write("half", authority.certificate.substr(0, 200))}),
              HasSubstr("broken certificate"));
  EXPECT_THAT(error_of({"", "", files.write("second", authority.certificate + broken)}),
              HasSubstr("broken certificate"));
}

}  // namespace
}  // namespace caucus
