#include "caucus/federation/hosting/client_sessions.hpp"

#include <utility>

namespace caucus {

std::optional<std::uint32_t> ClientSessions::client_of(const ClientSession& session) const {
  if (!session.client_ || find(*session.client_) != &session) return std::nullopt;
  return session.client_;
}

void ClientSessions::add(std::uint32_t client, std::shared_ptr<ClientSession> session) {
  disconnect(client, "another client of this name has connected; expected one at a time");
  session->client_ = client;
  entries_[client].session = std::move(session);
}

void ClientSessions::disconnect(std::uint32_t client, const std::string& why) {
  if (ClientSession* session = find(client)) session->disconnect(why);
  remove(client);
}

void ClientSessions::send_end(std::uint32_t client, const std::string& why) {
  entries_[client].session->send_end(why);
  entries_[client].end_sent = true;
}

void ClientSessions::shut_down() {
  for (Entry& entry : entries_) {
    if (entry.session) entry.session->shut_down();
    entry = {};
  }
}

}  // namespace caucus
