// Whatever a configuration file holds, reading it ends with a configuration or with an error, and
// what was read prints and reads back to the same.
#include <cstdlib>
#include <string>

#include "options/config_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  ServerConfig server;
  const auto config = parse_config(text, "fuzz.toml", &server);
  if (!config.ok()) return 0;
  for (const ServerConfig* printed_with :
       {static_cast<const ServerConfig*>(nullptr), static_cast<const ServerConfig*>(&server)}) {
    const std::string printed = config_toml(*config, printed_with);
    ServerConfig server_again;
    const auto again = parse_config(printed, "again.toml", &server_again);
    const ServerConfig* again_with = printed_with == nullptr ? nullptr : &server_again;
    if (!again.ok() || config_toml(*again, again_with) != printed) std::abort();
  }
  return 0;
}
