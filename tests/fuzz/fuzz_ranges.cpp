// Ranges that were accepted must come back the same from the file they are written to.
#include "caucus/data/ranges.hpp"
#include "fuzz_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using caucus::ByteSource;
  using caucus::read_ranges;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ByteSource source = ByteSource::from_memory(bytes, "fuzz");
  const auto ranges = read_ranges(source);
  if (!ranges.ok()) {
    caucus::check_error(ranges.error());
    return 0;
  }
  const std::string text = caucus::ranges_text(*ranges);
  ByteSource written = ByteSource::from_memory(text, "fuzz");
  const auto again = read_ranges(written);
  caucus::require(again.ok() && *again == *ranges);
  return 0;
}
