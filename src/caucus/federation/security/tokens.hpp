// Tokens, by which a server knows its clients. It keeps their hashes only: who reads its file
// learns no token. No error names a token, nor anything else that stands where one could stand.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// 32 random bytes in base64url: 43 characters, so that none can be taken for a hash.
Result<std::string> make_token();

/// SHA-256 in hexadecimal, as the server's file has it.
Result<std::string> hash_of_token(std::string_view token);

/// What a client has in its file.
struct ClientToken {
  std::string text;
  std::string warning;  ///< empty, or one line: the file is open to others
};

/// The first line of the file, without the blanks around it; `where` is a flag or a key.
Result<ClientToken> read_token(const std::string& path, const std::string& where);

/// The server's file: one line "NAME SHA256HEX" per client; blank lines and # comments.
class TokenFile {
 public:
  static Result<TokenFile> read(const std::string& path);
  /// `path` is for messages.
  static Result<TokenFile> parse(std::string_view text, const std::string& path);

  /// Whether this client may enter with this token. An unknown name costs the same work as a known
  /// one, and the time does not tell where two hashes differ.
  [[nodiscard]] bool allows(std::string_view name, std::string_view token) const;
  [[nodiscard]] bool has(std::string_view name) const { return hashes_.contains(name); }
  [[nodiscard]] std::size_t size() const { return hashes_.size(); }

 private:
  static constexpr std::size_t kHashBytes = 32;
  using Hash = std::array<unsigned char, kHashBytes>;
  std::map<std::string, Hash, std::less<>> hashes_;
};

}  // namespace caucus
