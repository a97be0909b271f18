// Tokens authenticate clients. The server stores only their hashes, so its file reveals no token.
// No error contains a token, or text that could be one.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "caucus/credentials.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Creates a token of 32 random bytes in base64url: 43 characters, which no hash has.
Result<std::string> make_token();

/// Returns the SHA-256 in hexadecimal, as in the server's file.
Result<std::string> hash_of_token(std::string_view token);

/// The server's file: one line "NAME SHA256HEX" per client; blank lines and # comments.
class TokenFile {
 public:
  static Result<TokenFile> read(const std::string& path);
  /// `path` is for messages.
  static Result<TokenFile> parse(std::string_view text, const std::string& path);

  /// Returns whether the token is that of the client. An unknown name takes the same time as a
  /// known one, and the time does not depend on where two hashes differ.
  [[nodiscard]] bool allows(std::string_view name, std::string_view token) const;
  [[nodiscard]] bool has(std::string_view name) const { return hashes_.contains(name); }
  [[nodiscard]] std::size_t size() const { return hashes_.size(); }

 private:
  static constexpr std::size_t kHashBytes = 32;
  using Hash = std::array<unsigned char, kHashBytes>;
  std::map<std::string, Hash, std::less<>> hashes_;
};

}  // namespace caucus
