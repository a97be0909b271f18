#include "program.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <vector>

#include "caucus/core/simd/kernels.hpp"

namespace caucus::bench {

Dataset read_examples(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::int64_t size[2] = {};
  file.read(reinterpret_cast<char*>(size), sizeof size);
  if (!file || size[0] < 1 || size[1] < 1) throw std::runtime_error("cannot read " + path);
  const auto columns = static_cast<std::size_t>(size[1]) + 1;
  std::vector<float> values(static_cast<std::size_t>(size[0]) * columns);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file) throw std::runtime_error(path + " is cut off");
  return value_of(dataset_from_values(path, columns - 1, values));
}

void write_examples(const Dataset& data, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::int64_t size[2] = {static_cast<std::int64_t>(data.rows()),
                                static_cast<std::int64_t>(data.features())};
  file.write(reinterpret_cast<const char*>(size), sizeof size);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const auto x = data.x(row).first(data.features());
    const float y = data.y(row);
    file.write(reinterpret_cast<const char*>(x.data()),
               static_cast<std::streamsize>(x.size_bytes()));
    file.write(reinterpret_cast<const char*>(&y), sizeof y);
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void choose_simd_variant() {
  const char* name = std::getenv("CAUCUS_SIMD");  // NOLINT(concurrency-mt-unsafe): one thread yet
  if (name == nullptr) return;
  const Status chosen = simd::select(name);
  if (!chosen.ok()) throw std::runtime_error(chosen.error().line());
}

int run_program(const char* name, int count, char** words, void (*body)(Flags&)) {
  try {
    choose_simd_variant();
    Flags flags(count, words);
    body(flags);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace caucus::bench
