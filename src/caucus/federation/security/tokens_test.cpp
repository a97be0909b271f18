#include "caucus/federation/security/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHashOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string error_of(const std::string& text) {
  const auto file = TokenFile::parse(text, "tokens");
  return file.ok() ? "" : file.error().line();
}

TEST(Token, IsThirtyTwoRandomBytesAsText) {
  std::set<std::string> seen;
  std::set<char> signs;
  for (int k = 0; k < 200; ++k) {
    const auto token = make_token();
    ASSERT_TRUE(token.ok());
    EXPECT_EQ(token->size(), 43u);
    signs.insert(token->begin(), token->end());
    EXPECT_TRUE(seen.insert(*token).second);
  }
  EXPECT_EQ(std::string(signs.begin(), signs.end()),
            "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
}

TEST(Token, HashIsSha256) {
  EXPECT_EQ(*hash_of_token("abc"), kHashOfAbc);  // FIPS 180-2, appendix B.1
}

TEST(TokenFile, AllowsTheRightTokenOfTheRightClientOnly) {
  const auto first = make_token();
  const auto second = make_token();
  const std::string text = "c01 " + *hash_of_token(*first) + "\nc02\t" + *hash_of_token(*second);
  const auto file = TokenFile::parse(text, "tokens");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->size(), 2u);
  EXPECT_TRUE(file->allows("c01", *first));
  EXPECT_TRUE(file->allows("c02", *second));
  EXPECT_FALSE(file->allows("c01", *second));
  EXPECT_FALSE(file->allows("c02", *first));
  EXPECT_FALSE(file->allows("c03", *first));
  EXPECT_FALSE(file->allows("", *first));
  EXPECT_FALSE(file->allows("C01", *first));
  EXPECT_FALSE(file->allows("c01", ""));
  EXPECT_FALSE(file->allows("c01", *hash_of_token(*first)));
  EXPECT_FALSE(file->allows("c01", *first + " "));
  EXPECT_FALSE(file->allows("c01", first->substr(1)));
  EXPECT_TRUE(file->has("c02"));
  EXPECT_FALSE(file->has("c03"));
}

TEST(TokenFile, NobodyEntersByTheHashThatStandsForUnknownNames) {
  const auto file = TokenFile::parse("zero " + std::string(64, '0') + "\n", "tokens");
  ASSERT_TRUE(file.ok());
  for (const char* name : {"zero", "unknown"}) {
    EXPECT_FALSE(file->allows(name, ""));
    EXPECT_FALSE(file->allows(name, std::string(43, 'A')));
  }
}

TEST(TokenFile, ATokenLongerThanAnyIsRefusedEvenWhereItsHashIsKnown) {
  const std::string longest(256, 'x');
  const std::string longer(257, 'x');
  const auto file = TokenFile::parse(
      "a " + *hash_of_token(longest) + "\nb " + *hash_of_token(longer) + "\n", "tokens");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->allows("a", longest));
  EXPECT_FALSE(file->allows("b", longer));
}

TEST(TokenFile, HasCommentsBlankLinesAndEitherCase) {
  std::string upper = kHashOfAbc;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto file = TokenFile::parse(
      "# who takes part\r\n\r\n  c01   " + upper + "  # the first\r\n\n#c02 x\n", "tokens");
  ASSERT_TRUE(file.ok()) << file.error().line();
  EXPECT_EQ(file->size(), 1u);
  EXPECT_TRUE(file->allows("c01", "abc"));
  EXPECT_EQ(TokenFile::parse("", "tokens")->size(), 0u);
}

TEST(TokenFile, ErrorsNameFileAndLineAndNothingSecret) {
  const std::string good = std::string("c01 ") + kHashOfAbc + "\n";
  const std::string token = *make_token();
  EXPECT_THAT(error_of(good + token), HasSubstr("tokens:2: has one word only; expected NAME"));
  EXPECT_THAT(error_of(good + "\n# x\n/bad " + kHashOfAbc), HasSubstr("tokens:4: the first word"));
  EXPECT_THAT(error_of("c01 " + token + "\n"), HasSubstr("tokens:1: the second word"));
  EXPECT_THAT(error_of(good + good), HasSubstr("tokens:2: the name is in an earlier line"));
  EXPECT_NE(error_of(std::string("c01 ") + kHashOfAbc + " more"), "");
  EXPECT_NE(error_of(std::string("c01 g") + (kHashOfAbc + 1)), "");
  for (const std::string& text :
       {good + token, "c01 " + token, token + " c01", "-" + token + " x"}) {
    EXPECT_NE(error_of(text), "");
    EXPECT_THAT(error_of(text), Not(HasSubstr(token)));
  }
}

TEST(TokenFile, IsReadFromAPath) {
  const TestFiles files;
  const auto file = TokenFile::read(files.write("tokens", std::string("a ") + kHashOfAbc));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->allows("a", "abc"));
  const auto missing = TokenFile::read(files.path("nowhere"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
  EXPECT_THAT(missing.error().line(), HasSubstr("nowhere: cannot be read"));
}

TEST(ClientToken, IsTheFirstLineTrimmed) {
  const TestFiles files;
  const std::string path = files.write("c01.token", "  secret-1\t\r\nof client c01\n");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  const auto token = read_token(path, "--token");
  ASSERT_TRUE(token.ok()) << token.error().line();
  EXPECT_EQ(token->text, "secret-1");
  EXPECT_EQ(token->warning, "");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_THAT(read_token(path, "--token")->warning, HasSubstr("c01.token"));
  EXPECT_THAT(read_token(path, "--token")->warning, Not(HasSubstr("secret-1")));
}

TEST(ClientToken, RefusesFilesWithoutOneAndShowsNothingOfThem) {
  const TestFiles files;
  for (const std::string& text :
       {std::string(), std::string("\nsecret"), std::string("  \n"), std::string("secret word"),
        std::string("secret\x01"), std::string("secret\0x", 8), std::string("secret\xc3\xa9"),
        "secret" + std::string(300, 'x'), "secret\n" + std::string(5000, 'x')}) {
    const auto token = read_token(files.write("t", text), "--token");
    ASSERT_FALSE(token.ok()) << text;
    EXPECT_EQ(token.error().kind, ErrorKind::usage);
    EXPECT_EQ(token.error().where, "--token");
    EXPECT_THAT(token.error().line(), Not(HasSubstr("secret")));
  }
  EXPECT_THAT(read_token(files.path("nowhere"), "--token").error().line(),
              HasSubstr("cannot be read"));
  EXPECT_FALSE(read_token(files.path(""), "--token").ok());
}

}  // namespace
}  // namespace caucus
