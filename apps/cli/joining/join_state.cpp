#include "joining/join_state.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "caucus/data/files/output_file.hpp"
#include "caucus/data/files/text_file.hpp"
#include "options/values.hpp"

namespace caucus::cli {
namespace {

constexpr std::string_view kBegin = "caucus-join-1";
constexpr std::string_view kFinished = "finished";
constexpr std::size_t kLargest = 256U << 20U;
constexpr std::size_t kForgottenLines = 4096;  // before the file is written anew

std::uint64_t checksum(std::string_view text) {  // FNV-1a
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return sum;
}

std::string hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

std::optional<std::uint64_t> number_in(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::optional<RunId> run_in(std::string_view text) {
  RunId run{};
  if (text.size() != 2 * run.size()) return std::nullopt;
  for (std::size_t k = 0; k < run.size(); ++k) {
    const auto byte = number_in(text.substr(2 * k, 2), 16);
    if (!byte) return std::nullopt;
    run[k] = static_cast<std::uint8_t>(*byte);
  }
  return run;
}

std::string sealed_line(const std::string& words) {
  return words + " " + hex(checksum(words)) + "\n";
}

std::string record(std::uint64_t batch, const UsedRows& rows) {
  return sealed_line(std::to_string(batch) + " " + std::to_string(rows.first) + " " +
                     std::to_string(rows.end));
}

/// The words of a line without its checksum; none if that is wrong.
std::vector<std::string> words_of(std::string_view line) {
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return {};
  const auto sum = number_in(line.substr(space + 1), 16);
  if (!sum || *sum != checksum(line.substr(0, space))) return {};
  return split(std::string(line.substr(0, space)), ' ');
}

}  // namespace

std::string run_text(const RunId& run) {
  std::string text;
  for (const std::uint8_t byte : run) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 0xFU];
  }
  return text;
}

JoinState::JoinState(JoinState&& other) noexcept
    : path_(std::move(other.path_)),
      identity_(std::move(other.identity_)),
      next_row_(other.next_row_),
      finished_(other.finished_),
      rows_(std::move(other.rows_)),
      forgotten_(other.forgotten_),
      file_(std::exchange(other.file_, -1)) {}

JoinState& JoinState::operator=(JoinState&& other) noexcept {
  path_.swap(other.path_);
  std::swap(identity_, other.identity_);
  std::swap(next_row_, other.next_row_);
  std::swap(finished_, other.finished_);
  rows_.swap(other.rows_);
  std::swap(forgotten_, other.forgotten_);
  std::swap(file_, other.file_);
  return *this;
}

JoinState::~JoinState() {
  if (file_ >= 0) ::close(file_);
}

Result<std::optional<JoinState>> JoinState::load(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::optional<JoinState>();
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::data, kLargest));
  CAUCUS_TRY(JoinState state, parse(text, path));
  CAUCUS_CHECK(state.rewrite());  // without a torn end, behind which nothing could be appended
  return std::optional<JoinState>(std::move(state));
}

Result<JoinState> JoinState::create(const std::string& path, JoinIdentity identity,
                                    std::uint64_t next_row) {
  JoinState state;
  state.path_ = path;
  state.identity_ = std::move(identity);
  state.next_row_ = next_row;
  CAUCUS_CHECK(state.rewrite());
  return state;
}

Status JoinState::read_header(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() == 5 && words[0] == kBegin) {
    const auto run = run_in(words[1]);
    const auto data = number_in(words[3], 16);
    const auto row = number_in(words[4], 10);
    if (run && data && row) {
      identity_ = {*run, words[2], *data};
      next_row_ = *row;
      return Done{};
    }
  }
  return data_error(path_, "is not the saved state of a client",
                    "expected a file that caucus join wrote");
}

bool JoinState::read_record(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() == 1 && words[0] == kFinished) {
    finished_ = true;
    return true;
  }
  if (words.size() != 3) return false;
  const auto batch = number_in(words[0], 10);
  const auto first = number_in(words[1], 10);
  const auto end = number_in(words[2], 10);
  if (!batch || !first || !end || *end < *first) return false;
  rows_[*batch] = {*first, *end};
  next_row_ = std::max(next_row_, *end);
  return true;
}

Result<JoinState> JoinState::parse(std::string_view text, const std::string& path) {
  JoinState state;
  state.path_ = path;
  const std::size_t first = std::min(text.find('\n'), text.size());
  CAUCUS_CHECK(state.read_header(text.substr(0, first)));
  text.remove_prefix(std::min(first + 1, text.size()));
  for (std::size_t line = 2; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // torn
    if (!state.read_record(text.substr(0, end))) {
      return data_error(path + ":" + std::to_string(line), "is damaged",
                        "expected what caucus join wrote; without the file it goes on at the "
                        "server's position");
    }
    text.remove_prefix(end + 1);
  }
  return state;
}

std::optional<UsedRows> JoinState::rows_of(std::uint64_t batch) const {
  const auto found = rows_.find(batch);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

Status JoinState::append(const std::string& line) {
  const auto written = ::write(file_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    return data_error(path_, written < 0 ? std::generic_category().message(errno) : "is cut short",
                      "expected room to write");
  }
  return Done{};
}

Status JoinState::use(std::uint64_t batch, const UsedRows& rows) {
  CAUCUS_CHECK(append(record(batch, rows)));
  rows_[batch] = rows;
  next_row_ = std::max(next_row_, rows.end);
  return Done{};
}

Status JoinState::finish() {
  CAUCUS_CHECK(append(sealed_line(std::string(kFinished))));
  finished_ = true;
  return Done{};
}

Status JoinState::forget_up_to(std::uint64_t batch) {
  const auto end = rows_.upper_bound(batch);
  for (auto one = rows_.begin(); one != end; one = rows_.erase(one)) ++forgotten_;
  return forgotten_ < kForgottenLines ? Status(Done{}) : rewrite();
}

std::string JoinState::header() const {
  return sealed_line(std::string(kBegin) + " " + run_text(identity_.run) + " " + identity_.client +
                     " " + hex(identity_.data) + " " + std::to_string(next_row_));
}

Status JoinState::rewrite() {
  auto created = OutputFile::create(path_, Readers::owner);
  if (!created.ok()) {
    created.error().expected = "expected a place to keep what --resume needs, here or with --state";
    return std::move(created.error());
  }
  OutputFile file = std::move(created).value();
  std::string text = header();
  for (const auto& [batch, rows] : rows_) text += record(batch, rows);
  if (finished_) text += sealed_line(std::string(kFinished));
  CAUCUS_CHECK(file.write(text));
  CAUCUS_CHECK(file.commit());
  if (file_ >= 0) ::close(file_);
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) {
    return data_error(path_, std::generic_category().message(errno), "expected to write to it");
  }
  forgotten_ = 0;
  return Done{};
}

void JoinState::remove(const std::string& path) {
  std::error_code ignored;  // it does no harm
  std::filesystem::remove(path, ignored);
}

void JoinState::remove_own() const {
  struct stat mine {};
  struct stat there {};
  if (::fstat(file_, &mine) != 0 || ::stat(path_.c_str(), &there) != 0) return;
  if (mine.st_dev == there.st_dev && mine.st_ino == there.st_ino) remove(path_);
}

}  // namespace caucus::cli
