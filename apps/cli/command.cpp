#include "command.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "caucus/core/base/text.hpp"

namespace caucus::cli {

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  if (const auto guess = nearest(word, known)) return "did you mean '" + *guess + "'?";
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "expected one of " : ", ") + name;
  return list;
}

std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands({})) words.push_back(sub->get_name());
  return words;
}

std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string& command_line() {
  static std::string line = "caucus";
  return line;
}

Status print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return Done{};
  return data_error("standard output", std::generic_category().message(errno),
                    "expected room to write");
}

}  // namespace caucus::cli
