// caucus completion: prints a completion script, made from the parser so that it is up to date.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "options/settings.hpp"

namespace caucus::cli {
namespace {

/// The words that can follow a command: flags after "run" and "data info", subcommands after
/// "data".
struct Command {
  std::string path;
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& commands) {
  commands.push_back({path, &app});
  for (const CLI::App* sub : app.get_subcommands({})) {
    collect(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), commands);
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Returns the words that an option or an argument can be given.
std::vector<std::string> values_of(const CLI::Option& option) {
  for (const std::string& name : option.get_lnames()) {
    auto values = values_of_flag("--" + name);
    if (!values.empty()) return values;
  }
  return words_of_value_name(option.get_type_name());
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

/// Returns the values of all arguments without a flag.
std::vector<std::string> values_of_arguments(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const auto values = values_of(*option);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::string bash_script(const CLI::App& app) {
  std::vector<Command> commands;
  collect(app, "", commands);
  std::string cases;
  std::string values;
  for (const auto& [path, command] : commands) {
    std::vector<std::string> words = words_of(*command);
    const auto arguments = values_of_arguments(*command);
    words.insert(words.end(), arguments.begin(), arguments.end());
    cases += "    '" + path + "') words='" + joined(words) + "' ;;\n";
    for (const CLI::Option* option : command->get_options()) {
      if (!takes_value(*option)) continue;
      for (const std::string& name : option->get_lnames()) {
        const auto known = values_of(*option);
        values += "    '" + path + " --" + name + "') values='" + joined(known) + "' ;;\n";
      }
    }
  }
  return R"(# caucus completion for bash: source this file, e.g. from ~/.bashrc
_caucus() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' values=none part
  for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $part" in
      ' '[a-z]*|'data '[a-z]*|'cert '[a-z]*)
        [ "$path" = run ] || path="${path:+$path }$part" ;;
    esac
  done
  case "$path $before" in
)" + values +
         R"(  esac
  if [ "$values" != none ]; then  # after a flag that takes a value: its words, or files
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    [ -n "$values" ] || COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  case "$path" in
)" + cases +
         R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ "${word#-}" != "$word" ] || COMPREPLY+=($(compgen -f -- "$word"))
}
complete -o filenames -F _caucus caucus
)";
}

/// Quotes a text for fish.
std::string in_fish_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string text = "# caucus completion for fish: save as completions/caucus.fish\n";
  std::vector<Command> commands;
  collect(app, "", commands);
  for (const auto& [path, command] : commands) {
    std::string where = "__fish_use_subcommand";
    if (!path.empty()) {
      where = "'";
      std::string word;
      for (const char c : path + " ") {
        if (c != ' ') {
          word += c;
          continue;
        }
        where += (where == "'" ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
        word.clear();
      }
      where += "'";
    }
    const std::string begin = "complete -c caucus -n " + where;
    for (const CLI::App* sub : command->get_subcommands({})) {
      text += begin + " -f -a " + sub->get_name() + " -d " +
              in_fish_quotes(sub->get_description()) + "\n";
    }
    for (const std::string& word : values_of_arguments(*command)) {
      text += begin + " -f -a " + word + "\n";
    }
    for (const CLI::Option* option : command->get_options()) {
      const auto values = values_of(*option);
      for (const std::string& name : option->get_lnames()) {
        text += begin + " -l " + name;
        if (takes_value(*option)) text += " -r";
        if (!values.empty()) text += " -f -a " + in_fish_quotes(joined(values));
        text += " -d " + in_fish_quotes(option->get_description()) + "\n";
      }
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* completion = app.add_subcommand("completion", "Print a script for shell completion");
  auto shell = std::make_shared<std::string>("bash");
  completion->add_option("shell", *shell, "whose script (bash)")
      ->type_name("bash|zsh|fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
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
