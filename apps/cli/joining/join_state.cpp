#include "joining/join_state.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/data/files/output_file.hpp"
#include "caucus/data/files/text_file.hpp"

namespace caucus::cli {
namespace {

constexpr std::string_view kBegin = "caucus-join-2";
constexpr std::string_view kFinished = "finished";
constexpr std::string_view kPersonal = "personal";
constexpr std::size_t kLargest = 256U << 20U;
// The lines of forgotten batches that the file may hold before it is rewritten.
constexpr std::size_t kForgottenLines = 4096;
constexpr std::size_t kForgottenBytes = 4U << 20U;

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

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4U];
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 0xFU];
  }
  return text;
}

std::optional<std::string> bytes_in(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t k = 0; k < text.size(); k += 2) {
    const auto byte = number_in(text.substr(k, 2), 16);
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::optional<RunId> run_in(std::string_view text) {
  RunId run{};
  const auto bytes = bytes_in(text);
  if (!bytes || bytes->size() != run.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), run.begin());
  return run;
}

std::string sealed_line(const std::string& words) {
  return words + " " + hex(caucus::fingerprint_of(words)) + "\n";
}

std::string record(std::uint64_t batch, const UsedRows& rows) {
  return sealed_line(std::to_string(batch) + " " + std::to_string(rows.first) + " " +
                     std::to_string(rows.end) + " " + hex_of(rows.personal) + ";");
}

std::string personal_line(const std::string& state) {
  return sealed_line(std::string(kPersonal) + " " + hex_of(state) + ";");
}

/// Reads what hex_of() wrote before a semicolon, which marks even an empty one.
std::optional<std::string> personal_in(std::istringstream& words) {
  std::string text;
  if (!(words >> text) || text.back() != ';') return std::nullopt;
  text.pop_back();
  return bytes_in(text);
}

/// Returns the words of a line without its checksum, or none if that is wrong.
std::istringstream words_of(std::string_view line) {
  const std::size_t space = std::min(line.rfind(' '), line.size());
  const std::string_view words = line.substr(0, space);
  const auto sum = number_in(line.substr(std::min(space + 1, line.size())), 16);
  return std::istringstream(sum == caucus::fingerprint_of(words) ? std::string(words) : "");
}

}  // namespace

std::string run_text(const RunId& run) { return hex_of(std::string(run.begin(), run.end())); }

Result<std::optional<JoinState>> JoinState::load(const std::string& path) {
  CAUCUS_TRY(auto state, read(path));
  if (state) CAUCUS_CHECK(state->rewrite());  // removes an incomplete last line
  return state;
}

Result<std::optional<JoinState>> JoinState::read(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return std::optional<JoinState>();
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::data, kLargest));
  JoinState state;
  state.path_ = path;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  if (!state.read_header(line)) {
    return data_error(path, "is not the saved state of a client",
                      "expected a file that caucus join wrote");
  }
  for (std::size_t number = 2; std::getline(lines, line) && !lines.eof(); ++number) {
    if (!state.read_record(line)) {
      return data_error(path + ":" + std::to_string(number), "is damaged",
                        "expected what caucus join wrote; without the file it continues at the "
                        "server's position");
    }
  }
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

bool JoinState::read_header(const std::string& line) {
  std::string begin, run;
  std::istringstream words = words_of(line);
  words >> begin >> run >> identity_.client >> std::hex >> identity_.data >> std::dec >> next_row_;
  const auto id = run_in(run);
  if (!words || !words.eof() || begin != kBegin || !id) return false;
  identity_.run = *id;
  return true;
}

bool JoinState::read_record(const std::string& line) {
  std::istringstream words = words_of(line);
  if (words.str() == kFinished) {
    finished_ = true;
    return true;
  }
  if (words.str().starts_with(kPersonal)) {
    std::string personal;
    words >> personal;
    const auto state = personal_in(words);
    personal_ = state.value_or("");
    return state.has_value();
  }
  std::uint64_t batch = 0;
  UsedRows rows;
  words >> batch >> rows.first >> rows.end;
  const auto state = personal_in(words);
  if (!words || !state || rows.end < rows.first) return false;
  next_row_ = std::max(next_row_, rows.end);
  rows.personal = *state;
  rows_[batch] = std::move(rows);
  return true;
}

std::optional<UsedRows> JoinState::rows_of(std::uint64_t batch) const {
  const auto found = rows_.find(batch);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

Status JoinState::append(const std::string& line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fflush(file_.get()) == 0;
  if (written) return Done{};
  return data_error(path_, std::generic_category().message(errno), "expected room to write");
}

Status JoinState::use(std::uint64_t batch, const UsedRows& rows) {
  CAUCUS_CHECK(append(record(batch, rows)));
  rows_[batch] = rows;
  next_row_ = std::max(next_row_, rows.end);
  return Done{};
}

Status JoinState::keep_personal(std::string state) {
  personal_ = std::move(state);
  forgotten_bytes_ += 2 * personal_.size();  // those of earlier batches
  return append(personal_line(personal_));
}

Status JoinState::finish() {
  CAUCUS_CHECK(append(sealed_line(std::string(kFinished))));
  finished_ = true;
  return Done{};
}

Status JoinState::forget_up_to(std::uint64_t batch) {
  const auto end = rows_.upper_bound(batch);
  for (auto one = rows_.begin(); one != end; one = rows_.erase(one)) {
    ++forgotten_;
    forgotten_bytes_ += 2 * one->second.personal.size();
  }
  const bool few = forgotten_ < kForgottenLines && forgotten_bytes_ < kForgottenBytes;
  return few ? Status(Done{}) : rewrite();
}

Status JoinState::rewrite() {
  auto created = OutputFile::create(path_, Readers::owner);
  if (!created.ok()) {
    created.error().expected = "expected a place to keep what --resume needs, here or with --state";
    return std::move(created.error());
  }
  OutputFile file = std::move(created).value();
  std::string text =
      sealed_line(std::string(kBegin) + " " + run_text(identity_.run) + " " + identity_.client +
                  " " + hex(identity_.data) + " " + std::to_string(next_row_));
  for (const auto& [batch, rows] : rows_) text += record(batch, rows);
  if (!personal_.empty()) text += personal_line(personal_);
  if (finished_) text += sealed_line(std::string(kFinished));
  CAUCUS_CHECK(file.write(text));
  CAUCUS_CHECK(file.commit());
  file_.reset(std::fopen(path_.c_str(), "ae"));
  // Without a buffer a line that could not be written is not written later either.
  if (file_ != nullptr) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  if (file_ == nullptr) {
    return data_error(path_, std::generic_category().message(errno), "expected to write to it");
  }
  forgotten_ = forgotten_bytes_ = 0;
  return Done{};
}

void JoinState::remove(const std::string& path) {
  std::error_code ignored;  // a file that remains does no harm
  std::filesystem::remove(path, ignored);
}

void JoinState::remove_own() const {
  struct stat mine {};
  struct stat there {};
  if (::fstat(::fileno(file_.get()), &mine) != 0 || ::stat(path_.c_str(), &there) != 0) return;
  if (mine.st_dev == there.st_dev && mine.st_ino == there.st_ino) remove(path_);
}

}  // namespace caucus::cli
