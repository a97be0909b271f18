// Measures how fast files become a Dataset, in MB of text per second, plain and gzipped, and how
// fast zlib alone decompresses the same file. There are two tables: short decimals, as in most data
// files, and doubles printed to the last digit, as programs write them.
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/data/files/row_stream.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

constexpr std::size_t kTextBytes = 100'000'000;
constexpr std::size_t kColumns = 40;
constexpr int kRepetitions = 5;

using AppendField = void (*)(std::string& text, double uniform, std::size_t column);

/// Appends an integer, or a decimal with 2 to 6 places, depending on the column.
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

Status read_whole(const std::string& path) {
  ReadOptions options;
  options.feature_range = Interval{-1.0, 1.0};
  options.label_range = Interval{0.0, 1.0};
  CAUCUS_CHECK(read_dataset({path}, options));
  return Done{};
}

Status unpack_only(const std::string& path) {
  std::vector<char> into(512u << 10);
  gzFile file = gzopen(path.c_str(), "rb");
  gzbuffer(file, 64u << 10);
  while (gzread(file, into.data(), static_cast<unsigned>(into.size())) > 0) {
  }
  return gzclose(file) == Z_OK ? Status(Done{}) : data_error(path, "cannot be unpacked");
}

Result<double> best_seconds(Status (*work)(const std::string& path), const std::string& path) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kRepetitions; ++k) {
    const auto start = Clock::now();
    CAUCUS_CHECK(work(path));
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

Status measure(const char* title, AppendField append_field) {
  const TestFiles files;
  const std::string text = make_text(append_field);
  const std::string plain = files.write("table.csv", text);
  const std::string packed = files.write_gzip("table.csv.gz", text);
  CAUCUS_TRY(const double csv, best_seconds(read_whole, plain));
  CAUCUS_TRY(const double gzip, best_seconds(read_whole, packed));
  CAUCUS_TRY(const double zlib, best_seconds(unpack_only, packed));
  const double megabytes = static_cast<double>(text.size()) / 1e6;
  std::printf("%s: %.0f MB of text, %.0f MB packed\n", title, megabytes,
              static_cast<double>(std::filesystem::file_size(packed)) / 1e6);
  std::printf("  .csv     %6.0f MB/s\n", megabytes / csv);
  std::printf("  .csv.gz  %6.0f MB/s, %.2f of zlib's time\n", megabytes / gzip, gzip / zlib);
  std::printf("  zlib     %6.0f MB/s\n", megabytes / zlib);
  return Done{};
}

Status run() {
  CAUCUS_CHECK(measure("short decimals", append_short));
  return measure("doubles in full", append_full);
}

}  // namespace
}  // namespace caucus

int main() {
  const auto status = caucus::run();
  if (!status.ok()) std::fprintf(stderr, "csv_bench: %s\n", status.error().line().c_str());
  return status.ok() ? 0 : 1;
}
