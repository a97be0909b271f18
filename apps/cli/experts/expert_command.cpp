#include "experts/expert_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <system_error>
#include <thread>

#include "options/values.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the user

namespace caucus::cli {
namespace {

using ProgramClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLastWait(2000);

std::string names_of(const std::vector<std::string>& all, std::span<const std::uint32_t> experts) {
  std::string names;
  for (const std::uint32_t expert : experts) names += (names.empty() ? "" : " ") + all[expert];
  return names;
}

/// Waits until a file can be read or written. Returns false after the deadline.
bool wait_for(int file, short events, ProgramClock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - ProgramClock::now())
            .count();
    if (left <= 0) return false;
    pollfd one{file, events, 0};
    if (poll(&one, 1, static_cast<int>(std::min<long long>(left, 1'000'000))) > 0) return true;
  }
}

/// The fields of a line, which spaces, tabs or commas separate.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t at = line.find_first_not_of(" \t,"); at != std::string::npos;) {
    const std::size_t end = line.find_first_of(" \t,", at);
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t,", end);
  }
  return fields;
}

}  // namespace

Result<std::unique_ptr<ExpertCommand>> ExpertCommand::start(ExpertProgram program,
                                                            const std::string& header) {
  std::signal(SIGPIPE, SIG_IGN);  // the program may end before it has read everything
  std::unique_ptr<ExpertCommand> command(new ExpertCommand(std::move(program)));
  CAUCUS_CHECK(command->spawn());
  CAUCUS_CHECK(command->write_line("experts" + header, "the header"));
  return command;
}

Status ExpertCommand::spawn() {
  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0) return failure("", std::generic_category().message(errno));
  to_ = in[1];
  if (pipe2(out.data(), O_CLOEXEC) != 0) {
    close(in[0]);
    return failure("", std::generic_category().message(errno));
  }
  from_ = out[0];
  fcntl(to_, F_SETFL, O_NONBLOCK);
  fcntl(from_, F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  sigset_t none;  // join watches some signals with a thread of its own
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETPGROUP);  // a group of its own
  std::string shell = "sh", option = "-c", text = program_.command;
  std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
  const int code = posix_spawn(&pid_, "/bin/sh", &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(in[0]);
  close(out[1]);
  if (code == 0) return Done{};
  pid_ = -1;
  return failure("", "cannot be started: " + std::generic_category().message(code));
}

ExpertCommand::~ExpertCommand() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (pid_ < 0) return;
  for (const auto deadline = ProgramClock::now() + kLastWait; ProgramClock::now() < deadline;) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(-pid_, SIGKILL);  // the group that it leads
  waitpid(pid_, nullptr, 0);
}

Result<std::vector<double>> ExpertCommand::ask(std::span<const std::uint32_t> experts,
                                               const std::string& row, const std::string& where) {
  const std::string names = names_of(program_.names, experts);
  if (!unread_.empty()) {
    return failure(where, "had written more than one line for the row before");
  }
  CAUCUS_CHECK(write_line(names + row, where));
  CAUCUS_TRY(const std::string line, read_line(where));
  std::vector<double> forecasts;
  for (const std::string& field : fields_of(line)) {
    const auto number = parse_number(field);
    if (!number.ok()) break;
    forecasts.push_back(*number);
  }
  const std::size_t fields = fields_of(line).size();
  if (fields == experts.size() && forecasts.size() == fields) return forecasts;
  constexpr std::size_t kShown = 60;
  return data_error(
      "expert_command",
      where + ": answered '" + line.substr(0, kShown) + (line.size() > kShown ? "...'" : "'"),
      "expected " + std::to_string(experts.size()) +
          (experts.size() == 1 ? " number" : " numbers") + ", the forecasts of " + names);
}

Status ExpertCommand::write_line(const std::string& line, const std::string& where) {
  const std::string text = line + "\n";
  const auto deadline = ProgramClock::now() + program_.timeout;
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(to_, text.data() + written, text.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      return ended(where);
    } else if (errno != EAGAIN && errno != EINTR) {
      return failure(where, std::generic_category().message(errno));
    } else if (!wait_for(to_, POLLOUT, deadline)) {
      return failure(where, "reads nothing");
    }
  }
  return Done{};
}

Result<std::string> ExpertCommand::read_line(const std::string& where) {
  const auto deadline = ProgramClock::now() + program_.timeout;
  std::array<char, 4096> buffer{};
  while (true) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    const ssize_t count = read(from_, buffer.data(), buffer.size());
    if (count == 0) return ended(where);
    if (count > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EAGAIN && errno != EINTR) {
      return failure(where, std::generic_category().message(errno));
    } else if (!wait_for(from_, POLLIN, deadline)) {
      const auto seconds = std::chrono::duration<double>(program_.timeout).count();
      std::string text = std::to_string(seconds);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      return failure(where, "has not answered within " + text + " seconds");
    }
  }
}

Error ExpertCommand::failure(const std::string& where, const std::string& what) const {
  return data_error("expert_command", (where.empty() ? "" : where + ": ") + what,
                    "expected a program that answers each line at once with one line");
}

Error ExpertCommand::ended(const std::string& where) {
  int status = 0;
  const auto deadline = ProgramClock::now() + kLastWait;
  pid_t found = 0;
  while ((found = waitpid(pid_, &status, WNOHANG)) == 0 && ProgramClock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (found == 0) return failure(where, "has closed its output");
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    return failure(where, "ended with signal " + std::to_string(WTERMSIG(status)));
  }
  return failure(where, "ended with status " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace caucus::cli
