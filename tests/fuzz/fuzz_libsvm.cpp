#include "fuzz_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return caucus::fuzz_table(caucus::TableFormat::libsvm, data, size);
}
