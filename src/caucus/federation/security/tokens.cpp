#include "caucus/federation/security/tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <optional>

#include "caucus/data/files/text_file.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "caucus/federation/security/file_mode.hpp"
#include "caucus/federation/security/openssl.hpp"

namespace caucus {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kMostTokenText = 256;    // allows tokens from other tools
constexpr std::size_t kMostClientFile = 4096;  // the token and a comment below it
constexpr std::size_t kMostServerFile = 64U << 20;
constexpr std::string_view kBlanks = " \t\r\n\f\v";
constexpr std::string_view kDigits = "0123456789abcdef";

using Hash = std::array<unsigned char, kHashBytes>;

std::optional<Hash> sha256(std::string_view text) {
  Hash hash{};
  std::size_t size = 0;
  const bool made =
      EVP_Q_digest(nullptr, "SHA256", nullptr, text.data(), text.size(), hash.data(), &size) == 1;
  return made && size == hash.size() ? std::optional(hash) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::optional<Hash> parse_hash(std::string_view text) {
  Hash hash{};
  std::size_t size = 0;
  const std::string digits(text);
  const bool parsed =
      digits.size() == 2 * hash.size() &&
      OPENSSL_hexstr2buf_ex(hash.data(), hash.size(), &size, digits.c_str(), 0) == 1;
  ERR_clear_error();
  return parsed && size == hash.size() ? std::optional(hash) : std::nullopt;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Result<std::string> make_token() {
  CAUCUS_TRY(auto bytes, random_bytes<kTokenBytes>());
  std::array<unsigned char, 4 * ((kTokenBytes + 2) / 3) + 1> base64{};
  const int size = EVP_EncodeBlock(base64.data(), bytes.data(), static_cast<int>(bytes.size()));
  std::string token(base64.data(), base64.data() + size);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  OPENSSL_cleanse(base64.data(), base64.size());
  std::replace(token.begin(), token.end(), '+', '-');
  std::replace(token.begin(), token.end(), '/', '_');
  token.erase(token.find('='));
  return token;
}

Result<std::string> hash_of_token(std::string_view token) {
  const auto hash = sha256(token);
  if (!hash) return openssl_error("no SHA-256");
  std::string text;
  for (const unsigned char byte : *hash) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

Result<ClientToken> read_token(const std::string& path, const std::string& name) {
  const std::string expected = "expected a file with the client's token in its first line";
  auto content = read_text(path, ErrorKind::usage, kMostClientFile);
  if (!content.ok()) return usage_error(name, "'" + path + "' " + content.error().what, expected);
  const std::string_view line = trimmed(std::string_view(*content).substr(0, content->find('\n')));
  if (line.empty()) return usage_error(name, "'" + path + "' has no token", expected);
  if (line.size() > kMostTokenText) {
    return usage_error(name, "the token in '" + path + "' is too long",
                       "expected at most " + std::to_string(kMostTokenText) + " characters");
  }
  if (!is_printable(line)) {
    return usage_error(name, "what '" + path + "' has in its first line is not a token",
                       "expected printable ASCII characters without blanks");
  }
  ClientToken token{std::string(line), {}};
  if (others_can_read(path)) {
    token.warning = name + ": others can read '" + path + "'; it should have mode 0600";
  }
  return token;
}

Result<TokenFile> TokenFile::read(const std::string& path) {
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::usage, kMostServerFile));
  return parse(text, path);
}

Result<TokenFile> TokenFile::parse(std::string_view text, const std::string& path) {
  TokenFile file;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto wrong = [&](const std::string& what, const std::string& expected) {
      return usage_error(path + ":" + std::to_string(number), what, expected);
    };
    const std::size_t gap = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view name = line.substr(0, gap);
    const std::string_view hash_text = trimmed(line.substr(gap));
    // Errors do not repeat the line, so that a misplaced token does not appear in a log.
    if (hash_text.empty()) return wrong("has one word only", "expected NAME SHA256HEX");
    if (!is_client_name(name)) {
      return wrong("the first word is not a client's name",
                   "expected at most 64 letters, digits, '-', '_' and '.', and neither '-' nor '.' "
                   "first");
    }
    const auto hash = parse_hash(hash_text);
    if (!hash) {
      return wrong("the second word is not the hash of a token",
                   "expected a SHA-256 of 64 hexadecimal digits");
    }
    if (!file.hashes_.emplace(name, *hash).second) {
      return wrong("the name is in an earlier line too", "expected each client once");
    }
  }
  return file;
}

bool TokenFile::allows(std::string_view name, std::string_view token) const {
  if (token.empty() || token.size() > kMostTokenText) return false;
  const auto given = sha256(token);
  const auto found = hashes_.find(name);
  const bool known = found != hashes_.end();
  const Hash nobody{};
  const Hash& expected = known ? found->second : nobody;
  const bool same = given && CRYPTO_memcmp(given->data(), expected.data(), expected.size()) == 0;
  return known && same;
}

}  // namespace caucus
