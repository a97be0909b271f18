// Whatever a configuration file holds, reading it ends with a configuration or with an error, and
// what was read prints and reads back to the same.
#include <cstdlib>
#include <string>

#include "config_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus::cli;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config(text, "fuzz.toml");
  if (!config.ok()) return 0;
  const std::string printed = config_toml(*config);
  const auto again = parse_config(printed, "again.toml");
  if (!again.ok() || config_toml(*again) != printed) std::abort();
  return 0;
}
