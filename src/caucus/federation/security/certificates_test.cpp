#include "caucus/federation/security/certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <set>

#include "caucus/federation/security/verify_chain_test.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kNow = 1'800'000'000;  // in 2027
constexpr std::int64_t kDay = 86'400;
const std::vector<std::string> kHosts = {"localhost", "server.example", "127.0.0.1", "::1"};

Validity year() { return Validity::days_from(kNow, 365); }
ShownFor as_server(const std::string& host) { return {X509_PURPOSE_SSL_SERVER, kNow, host}; }
ShownFor as_client() { return {X509_PURPOSE_SSL_CLIENT, kNow, ""}; }

Identity authority() { return make_authority(year()).value(); }

OwnedCertificate certificate_of(const std::string& pem) {
  return std::move(parse_certificates(pem, "test").value().front());
}

std::string common_name(const X509& certificate) {
  std::string text(100, ' ');
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_commonName,
                                             text.data(), static_cast<int>(text.size()));
  return text.substr(0, static_cast<std::size_t>(size));
}

std::set<std::string> alternative_names(const X509& certificate) {
  const std::unique_ptr<GENERAL_NAMES, FreedBy<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::set<std::string> texts;
  for (int k = 0; k < sk_GENERAL_NAME_num(names.get()); ++k) {
    int kind = 0;
    const auto* value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), k), &kind));
    texts.insert((kind == GEN_DNS ? "DNS:" : "IP:") +
                 std::string(ASN1_STRING_get0_data(value),
                             ASN1_STRING_get0_data(value) + ASN1_STRING_length(value)));
  }
  return texts;
}

TEST(Certificates, AServerIsVerifiedByItsAuthorityUnderEachOfItsNames) {
  const Identity root = authority();
  const auto server = make_server_identity(root, kHosts, year());
  ASSERT_TRUE(server.ok()) << server.error().line();
  for (const std::string& host : kHosts) {
    EXPECT_EQ(verify_chain(server->certificate, root.certificate, as_server(host)), X509_V_OK)
        << host;
  }
  EXPECT_EQ(verify_chain(server->certificate, root.certificate, as_server("other.example")),
            X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verify_chain(server->certificate, root.certificate, as_server("127.0.0.2")),
            X509_V_ERR_IP_ADDRESS_MISMATCH);
  EXPECT_EQ(alternative_names(*certificate_of(server->certificate)),
            (std::set<std::string>{"DNS:localhost", "DNS:server.example",
                                   "IP:\x7f" + std::string("\0\0\1", 3),
                                   "IP:" + std::string(15, '\0') + "\1"}));
}

TEST(Certificates, AClientHasItsNameAndNoOther) {
  const Identity root = authority();
  const auto client = make_client_identity(root, "Plant-7_b.north", year());
  ASSERT_TRUE(client.ok()) << client.error().line();
  EXPECT_EQ(verify_chain(client->certificate, root.certificate, as_client()), X509_V_OK);
  const auto certificate = certificate_of(client->certificate);
  EXPECT_EQ(common_name(*certificate), "Plant-7_b.north");
  EXPECT_EQ(alternative_names(*certificate), std::set<std::string>{"DNS:Plant-7_b.north"});
  EXPECT_TRUE(make_client_identity(root, std::string(64, 'x'), year()).ok());
}

TEST(Certificates, AnotherAuthorityVerifiesNothingThoughItHasTheSameName) {
  const Identity root = authority();
  const Identity other = authority();
  const auto server = make_server_identity(root, kHosts, year());
  const auto client = make_client_identity(root, "c01", year());
  EXPECT_NE(verify_chain(server->certificate, other.certificate, as_server("localhost")),
            X509_V_OK);
  EXPECT_NE(verify_chain(client->certificate, other.certificate, as_client()), X509_V_OK);
}

TEST(Certificates, ServersAndClientsCannotStandInForEachOtherNorSign) {
  const Identity root = authority();
  const auto server = make_server_identity(root, kHosts, year());
  const auto client = make_client_identity(root, "localhost", year());
  EXPECT_EQ(verify_chain(server->certificate, root.certificate, as_client()),
            X509_V_ERR_INVALID_PURPOSE);
  EXPECT_EQ(verify_chain(client->certificate, root.certificate, as_server("localhost")),
            X509_V_ERR_INVALID_PURPOSE);
  const auto forged = make_client_identity(*client, "c02", year());
  ASSERT_FALSE(forged.ok());
  EXPECT_THAT(forged.error().line(), HasSubstr("is not that of an authority"));
}

TEST(Certificates, AreValidWithinTheirDaysOnly) {
  const Identity root = authority();
  const auto client = make_client_identity(root, "c01", Validity::days_from(kNow, 30));
  const auto at = [&](std::int64_t now) {
    return verify_chain(client->certificate, root.certificate, {X509_PURPOSE_SSL_CLIENT, now, ""});
  };
  EXPECT_EQ(at(kNow - 3601), X509_V_ERR_CERT_NOT_YET_VALID);
  EXPECT_EQ(at(kNow - 3599), X509_V_OK);
  EXPECT_EQ(at(kNow + 30 * kDay - 1), X509_V_OK);
  EXPECT_EQ(at(kNow + 30 * kDay + 1), X509_V_ERR_CERT_HAS_EXPIRED);
  const auto expired = make_client_identity(root, "c01", {kNow - 9 * kDay, kNow - 5 * kDay});
  ASSERT_TRUE(expired.ok());
  EXPECT_EQ(verify_chain(expired->certificate, root.certificate, as_client()),
            X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST(Certificates, EndWithTheirAuthorityAtTheLatest) {
  const auto root = make_authority(Validity::days_from(kNow, 10));
  const auto client = make_client_identity(*root, "c01", Validity::days_from(kNow, 365));
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(ASN1_TIME_compare(X509_get0_notAfter(certificate_of(client->certificate).get()),
                              X509_get0_notAfter(certificate_of(root->certificate).get())),
            0);
  const auto late = make_client_identity(*root, "c01", Validity::days_from(kNow + 11 * kDay, 365));
  ASSERT_FALSE(late.ok());
  EXPECT_THAT(late.error().line(), HasSubstr("the authority: has expired"));
}

TEST(Certificates, HaveTheExtensionsOfTheirKind) {
  const Identity root = authority();
  const auto server = certificate_of(make_server_identity(root, kHosts, year())->certificate);
  const auto top = certificate_of(root.certificate);
  EXPECT_EQ(X509_get_version(top.get()), 2);
  EXPECT_EQ(X509_get_pathlen(top.get()), 0);
  EXPECT_EQ(X509_get_key_usage(top.get()), static_cast<unsigned>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
  EXPECT_EQ(X509_check_ca(server.get()), 0);
  EXPECT_EQ(X509_get_key_usage(server.get()), static_cast<unsigned>(KU_DIGITAL_SIGNATURE));
  EXPECT_EQ(X509_get_extended_key_usage(server.get()), static_cast<unsigned>(XKU_SSL_SERVER));
  const ASN1_OCTET_STRING* issuer = X509_get0_authority_key_id(server.get());
  const ASN1_OCTET_STRING* subject = X509_get0_subject_key_id(top.get());
  ASSERT_TRUE(issuer != nullptr && subject != nullptr);
  EXPECT_EQ(ASN1_OCTET_STRING_cmp(issuer, subject), 0);
  EXPECT_NE(X509_get0_subject_key_id(server.get()), nullptr);
  for (const int kind : {NID_basic_constraints, NID_key_usage}) {
    for (const X509* each : {top.get(), server.get()}) {
      EXPECT_EQ(
          X509_EXTENSION_get_critical(X509_get_ext(each, X509_get_ext_by_NID(each, kind, -1))), 1);
    }
  }
}

TEST(Certificates, KeysAndSerialNumbersAreTheirOwn) {
  const Identity root = authority();
  std::set<std::string> keys;
  std::set<std::string> serials;
  for (int k = 0; k < 20; ++k) {
    const auto client = make_client_identity(root, "c01", year());
    const auto key = parse_key(client->key, "key");
    ASSERT_TRUE(key.ok());
    const auto certificate = certificate_of(client->certificate);
    EXPECT_TRUE(belong_together(*certificate, **key));
    EXPECT_FALSE(belong_together(*certificate, **parse_key(root.key, "key")));
    EXPECT_EQ(EVP_PKEY_get_bits(key->get()), 256);
    keys.insert(client->key);
    const ASN1_INTEGER* serial = X509_get0_serialNumber(certificate.get());
    EXPECT_EQ(ASN1_STRING_type(serial), V_ASN1_INTEGER);  // not V_ASN1_NEG_INTEGER
    EXPECT_EQ(ASN1_STRING_length(serial), 20);
    serials.emplace(ASN1_STRING_get0_data(serial), ASN1_STRING_get0_data(serial) + 20);
  }
  EXPECT_EQ(keys.size(), 20u);
  EXPECT_EQ(serials.size(), 20u);
}

TEST(Certificates, BadRequestsAreErrors) {
  const Identity root = authority();
  EXPECT_FALSE(make_server_identity(root, {}, year()).ok());
  EXPECT_FALSE(make_server_identity(root, {"localhost", "a,DNS:evil"}, year()).ok());
  EXPECT_FALSE(make_client_identity(root, "", year()).ok());
  EXPECT_FALSE(make_client_identity(root, "../c01", year()).ok());
  const Identity mixed{root.certificate, authority().key};
  const auto client = make_client_identity(mixed, "c01", year());
  ASSERT_FALSE(client.ok());
  EXPECT_THAT(client.error().line(), HasSubstr("does not belong to its certificate"));
  EXPECT_FALSE(make_client_identity({root.key, root.key}, "c01", year()).ok());
  EXPECT_FALSE(make_client_identity({root.certificate, root.certificate}, "c01", year()).ok());
  EXPECT_FALSE(make_authority({0, std::numeric_limits<std::int64_t>::max()}).ok());
}

}  // namespace
}  // namespace caucus
