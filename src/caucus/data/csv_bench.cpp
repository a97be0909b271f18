// How fast files become a Dataset: MB of text per second, plain and gzipped, beside what zlib alone
// needs to unpack the same file. Two tables: short decimals, as most data files hold, and doubles
// printed to the last digit, as programs write them.
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "caucus/core/random.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/data/number.hpp"
#include "caucus/data/row_stream.hpp"

namespace caucus {
namespace {

constexpr std::size_t kTextBytes = 100'000'000;
constexpr std::size_t kColumns = 40;
constexpr int kRepetitions = 5;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "csv_bench: %s\n", message.c_str());
  std::exit(1);
}

using AppendField = void (*)(std::string& text, double uniform, std::size_t column);

/// Integers, and decimals of 2 to 6 places, by column.
void append_short(std::string& text, double uniform, std::size_t column) {
  char field[32];
  const std::size_t kind = column % 4;
  const int places = kind == 0 ? 0 : static_cast<int>(2 * kind);
  const double value = (2.0 * uniform - 1.0) * (kind == 0 ? 1000.0 : 10.0);
  text.append(field,
              static_cast<std::size_t>(std::snprintf(field, sizeof field, "%.*f", places, value)));
}

void append_full(std::string& text, double uniform, std::size_t) {
  append_number(text, 2.0 * uniform - 1.0);
}

std::string make_text(AppendField append_field) {
  std::string text;
  text.reserve(kTextBytes + 64 * kColumns);
  for (std::size_t row = 0; text.size() < kTextBytes; ++row) {
    Stream random = row_stream(1, row);
    for (std::size_t column = 0; column < kColumns; ++column) {
      append_field(text, random.uniform(), column);
      text += ',';
    }
    text.back() = '\n';
  }
  return text;
}

void write_file(const std::string& path, const char* mode, const std::string& text) {
  gzFile file = gzopen(path.c_str(), mode);
  const auto size = static_cast<unsigned>(text.size());
  const bool written = file != nullptr && gzwrite(file, text.data(), size) == int(size);
  if (file == nullptr || gzclose(file) != Z_OK || !written) fail("cannot write " + path);
}

void read_whole(const std::string& path) {
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  options.label_range = Interval{0.0, 1.0};
  const auto data = read_dataset({path}, options);
  if (!data.ok()) fail(data.error().line());
}

void unpack_only(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) fail("cannot open " + path);
  gzbuffer(file, 256u << 10);
  std::vector<char> into(512u << 10);
  while (gzread(file, into.data(), static_cast<unsigned>(into.size())) > 0) {
  }
  if (gzclose(file) != Z_OK) fail("cannot unpack " + path);
}

double best_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int k = 0; k < kRepetitions; ++k) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void measure(const char* title, AppendField append_field, const std::string& directory) {
  const std::string plain = directory + "/table.csv";
  const std::string packed = plain + ".gz";
  double megabytes = 0.0;
  {
    const std::string text = make_text(append_field);
    megabytes = static_cast<double>(text.size()) / 1e6;
    write_file(plain, "wbT", text);
    write_file(packed, "wb6", text);
  }
  const double csv = best_seconds([&] { read_whole(plain); });
  const double gzip = best_seconds([&] { read_whole(packed); });
  const double zlib = best_seconds([&] { unpack_only(packed); });
  std::printf("%s: %.0f MB of text, %.0f MB packed\n", title, megabytes,
              static_cast<double>(std::filesystem::file_size(packed)) / 1e6);
  std::printf("  .csv     %6.0f MB/s\n", megabytes / csv);
  std::printf("  .csv.gz  %6.0f MB/s, %.2f of zlib's time\n", megabytes / gzip, gzip / zlib);
  std::printf("  zlib     %6.0f MB/s\n", megabytes / zlib);
}

void run() {
  std::string directory = (std::filesystem::temp_directory_path() / "caucus-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) fail("cannot make " + directory);
  measure("short decimals", append_short, directory);
  measure("doubles in full", append_full, directory);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace caucus

int main() { caucus::run(); }
