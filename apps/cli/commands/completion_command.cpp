// caucus completion: prints a completion script, made from the parser so that it is up to date.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"

namespace caucus::cli {
namespace {

/// Collects the words that can follow each command: flags after "run" and "data info", subcommands
/// after "data".
void collect(const CLI::App& app, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& words) {
  std::string list;
  for (const std::string& word : words_of(app)) list += " " + word;
  words.emplace_back(path, list);
  for (const CLI::App* sub : app.get_subcommands({})) {
    collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), words);
  }
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> words;
  collect(app, "", words);
  std::string cases;
  for (const auto& [path, list] : words) {
    cases += "    '" + path + "') words='" + list + "' ;;\n";
  }
  return R"(# caucus completion for bash: source this file, e.g. from ~/.bashrc
_caucus() {
  local word="${COMP_WORDS[COMP_CWORD]}" path='' words='' part
  for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $part" in
      ' '[a-z]*|'data '[a-z]*|'cert '[a-z]*|'completion '[a-z]*)
        [ "$path" = run ] || path="${path:+$path }$part" ;;
    esac
  done
  case "$path" in
)" + cases +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "${word#-}" != "$word" ] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _caucus caucus
)";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# caucus completion for fish: save as completions/caucus.fish\n";
  for (const CLI::App* sub : app.get_subcommands({})) {
    text += "complete -c caucus -n __fish_use_subcommand -a " + sub->get_name() + "\n";
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text += "complete -c caucus -n '__fish_seen_subcommand_from " + sub->get_name() + "' -l " +
                name + "\n";
      }
    }
    for (const CLI::App* inner : sub->get_subcommands({})) {
      text += "complete -c caucus -n '__fish_seen_subcommand_from " + sub->get_name() + "' -a " +
              inner->get_name() + "\n";
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script for shell completion");
  auto shell = std::make_shared<std::string>("bash");
  completion->add_option("shell", *shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "Examples:\n  source <(caucus completion bash)\n"
      "  caucus completion fish > ~/.config/fish/completions/caucus.fish");
  completion->callback([shell, &app, &action] {
    action = [shell, &app]() -> Status {
      if (*shell == "fish") return print(fish_script(app));
      const std::string zsh = "autoload -U +X bashcompinit && bashcompinit\n";
      return print((*shell == "zsh" ? zsh : "") + bash_script(app));
    };
  });
}

}  // namespace caucus::cli
