// Measures how fast CSV and CSV.gz are read into a data set, and how fast zlib decompresses the
// file:
//   reading --csv FILE.csv --gz FILE.csv.gz [--seconds S]
// Times are elapsed times, since a reader may use a second thread. The files are in the page cache
// after the first pass. MB are 10^6 bytes of text, also for the compressed file.
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "program.hpp"

namespace caucus::bench {
namespace {

void inflate_only(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error("cannot open " + path);
  gzbuffer(file.get(), 1U << 18U);
  std::vector<char> bytes(std::size_t{1} << 18U);
  int got = 0;
  do {
    got = gzread(file.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
  } while (got > 0);
  if (got < 0) throw std::runtime_error("cannot decompress " + path);
}

void read_data(const std::string& path) {
  const Dataset data = value_of(read_dataset(
      {path}, {.feature_range = Interval{-1.0, 1.0}, .label_range = Interval{0.0, 1.0}}));
  if (data.rows() == 0) throw std::runtime_error(path + " is empty");
}

/// Returns the MB/s of the best pass.
double speed(void (*pass)(const std::string&), const std::string& path, double megabytes,
             double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double best = HUGE_VAL;
  do {
    const auto start = Clock::now();
    pass(path);
    best = std::min(best, since(start));
  } while (since(begin) < seconds);
  return megabytes / best;
}

void measure(Flags& flags) {
  const auto csv = flags.take("--csv", std::string());
  const auto gz = flags.take("--gz", std::string());
  const double seconds = flags.take("--seconds", 1.0);
  flags.expect_none_left();
  const double megabytes = static_cast<double>(std::filesystem::file_size(csv)) / 1e6;
  std::printf(
      "{\"csv_mb_per_second\": %.1f, \"gz_mb_per_second\": %.1f, "
      "\"inflate_mb_per_second\": %.1f}\n",
      speed(read_data, csv, megabytes, seconds), speed(read_data, gz, megabytes, seconds),
      speed(inflate_only, gz, megabytes, seconds));
}

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  return caucus::bench::run_program("reading", count, words, caucus::bench::measure);
}
