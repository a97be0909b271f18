#include "command.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace caucus::cli {
namespace {

std::string& given_command_line() {
  static std::string line;
  return line;
}

}  // namespace

std::string quoted(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_./:,=+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

void remember_command_line(int argc, char** argv) {
  given_command_line() = "caucus";
  for (int a = 1; a < argc; ++a) given_command_line() += " " + quoted(argv[a]);
}

const std::string& command_line() { return given_command_line(); }

Status print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return Done{};
  return data_error("standard output", std::generic_category().message(errno),
                    "expected room to write");
}

}  // namespace caucus::cli
