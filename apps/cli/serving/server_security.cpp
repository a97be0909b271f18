#include "serving/server_security.hpp"

#include <utility>

#include "caucus/credentials.hpp"

namespace caucus::cli {
namespace {

Result<std::optional<wire::ServerKeys>> read_keys(const ServerConfig& server,
                                                  std::string& warning) {
  if (!server.has_tls()) return std::optional<wire::ServerKeys>();
  if (server.cert.empty()) {
    return usage_error("server.tls", "there is no certificate", "expected tls.cert and tls.key");
  }
  CAUCUS_TRY(TlsTexts texts,
             read_tls({server.cert, server.key, server.client_ca},
                      {"server.tls.cert", "server.tls.key", "server.tls.client_ca"}));
  warning = std::move(texts.warning);
  return std::optional(
      wire::ServerKeys{std::move(texts.cert), std::move(texts.key), std::move(texts.ca)});
}

Result<std::optional<TokenFile>> read_tokens(const ServerConfig& server) {
  if (server.tokens.empty()) return std::optional<TokenFile>();
  CAUCUS_TRY(TokenFile tokens, TokenFile::read(server.tokens));
  for (const std::string& name : server.clients) {
    if (tokens.has(name)) continue;
    return usage_error("server.tokens", "'" + server.tokens + "' has no token of '" + name + "'",
                       "expected one of every client of server.clients");
  }
  return std::optional(std::move(tokens));
}

}  // namespace

Result<ServerSecurity> read_security(const ServerConfig& server, const Address& listen,
                                     bool insecure) {
  ServerSecurity security;
  CAUCUS_TRY(security.keys, read_keys(server, security.warning));
  CAUCUS_TRY(security.tokens, read_tokens(server));
  if (insecure) return security;
  if (!server.http.empty()) {
    CAUCUS_TRY(const Address http, parse_address(server.http, "server.http"));
    if (!http.is_loopback()) {
      return usage_error("server.http",
                         "everybody who can reach '" + http.text() + "' is told the status",
                         "expected an address of this machine only, or --insecure");
    }
  }
  if (listen.is_loopback()) return security;
  if (!security.keys) {
    return usage_error("server.listen", "others can reach '" + listen.text() + "'",
                       "expected server.tls there (caucus cert init makes keys), or --insecure");
  }
  if (!security.tokens && server.client_ca.empty()) {
    return usage_error("server.listen",
                       "others can reach '" + listen.text() + "' and take any name",
                       "expected server.tokens or server.tls.client_ca there, or --insecure");
  }
  return security;
}

}  // namespace caucus::cli
