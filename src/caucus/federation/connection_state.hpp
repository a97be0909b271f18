// How a client stands to its server.
#pragma once

#include <string_view>

namespace caucus {

enum class ConnectionState {
  connecting,  ///< for the first time
  connected,   ///< the server has welcomed the client
  lost,        ///< it is being tried again
  over,        ///< the server has said that there is nothing more to do
  failed,      ///< refused for good, or given up
};

constexpr std::string_view word_of(ConnectionState state) {
  switch (state) {
    case ConnectionState::connecting:
      return "connecting";
    case ConnectionState::connected:
      return "connected";
    case ConnectionState::lost:
      return "lost";
    case ConnectionState::over:
      return "over";
    case ConnectionState::failed:
      return "failed";
  }
  return "";
}

}  // namespace caucus
