#include "options/help.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "caucus/report/html_text.hpp"
#include "caucus/report/wrapped.hpp"
#include "options/terminal.hpp"

namespace caucus::cli {
namespace {

using report::letters;
using report::wrapped;

std::string title_of(std::string group) {
  if (!group.empty()) {
    group[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(group[0])));
  }
  return group;
}

/// Returns "--data FILE" or, for an argument without a flag, "FILE".
std::string name_of(const CLI::Option& option, bool positional) {
  std::string name = option.get_name(positional, !positional);
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    name.insert(comma + 1, " ");
  }
  if (option.get_items_expected_min() > 0 && !option.get_type_name().empty() &&
      option.get_type_name() != "TEXT") {
    name += " " + option.get_type_name();
  }
  return name;
}

std::string meaning_of(const CLI::Option& option) {
  return option.get_description() + (option.get_required() ? " (required)" : "");
}

/// Returns where the second column of a line such as "  table3    ten spaces" begins; 0 if it has
/// no columns.
std::size_t second_column(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", first);
  if (gap == std::string_view::npos) return 0;
  const std::size_t second = line.find_first_not_of(' ', gap);
  return second == std::string_view::npos ? 0 : second;
}

/// Breaks an indented line of the footer: a command with a backslash, as a shell wants it, and
/// other lines below their second column.
std::string broken(std::string_view line, std::size_t width) {
  if (letters(line) <= width) return std::string(line);
  const std::size_t indent = line.find_first_not_of(' ');
  const bool command = line.substr(indent).starts_with("caucus ") || line.ends_with("\\");
  if (!command) {
    const std::size_t second = second_column(line);
    const std::size_t column = second > 0 && second < width ? second : indent;
    const std::string text = wrapped(line.substr(column), width - column, 0);
    std::string all(line.substr(0, column));
    for (const char c : text)
      all += c == '\n' ? "\n" + std::string(column, ' ') : std::string(1, c);
    return all;
  }
  std::string all;
  std::string rest(line);
  while (letters(rest) > width) {
    const std::size_t space = rest.rfind(' ', width - 2);
    if (space == std::string::npos || space <= rest.find_first_not_of(' ')) break;
    all += rest.substr(0, space) + " \\\n";
    rest = std::string(indent + 4, ' ') + rest.substr(space + 1);
  }
  return all + rest;
}

/// Calls visit(line, is_indented) for the paragraphs of the text, each joined to one line, for its
/// indented lines and for empty lines.
template <class Visit>
void each_part(std::string_view text, const Visit& visit) {
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) visit(paragraph, false);
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.empty() || line.front() == ' ') {
      end_paragraph();
      visit(std::string(line), true);
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end_paragraph();
}

std::string entry_text(const std::string& name, const std::string& meaning, std::size_t width) {
  const std::size_t column = std::min<std::size_t>(26, width / 3);
  std::string text = "  " + name;
  if (letters(text) > width) {  // a long list of words is broken between them
    std::size_t last = text.rfind('|', width - 1);
    for (; last != std::string::npos && letters(text.substr(text.rfind('\n') + 1)) > width;
         last = text.rfind('|', text.rfind('\n') + width - 4)) {
      text.insert(last + 1, "\n    ");
    }
  }
  const bool beside = letters(text) + 2 <= column;
  text += beside ? std::string(column - letters(text), ' ') : "\n" + std::string(column, ' ');
  std::string lines = wrapped(meaning, width - column);
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
    lines.insert(at + 1, column, ' ');
  }
  return text + lines + "\n";
}

// --- manual pages
// -----------------------------------------------------------------------------------

/// Escapes text for roff.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string page_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return command;
}

}  // namespace

HelpPage help_page(const CLI::App& app) {
  HelpPage page{app.get_description(), "", {}, app.get_footer()};
  const auto add = [&](const std::string& title, const std::string& name,
                       const std::string& meaning) {
    if (page.groups.empty() || page.groups.back().title != title)
      page.groups.push_back({title, {}});
    page.groups.back().entries.emplace_back(name, meaning);
  };
  const auto options = [&](bool positional, const std::string& group) {
    return app.get_options([=](const CLI::Option* option) {
      return option->get_positional() == positional && option->get_group() == group;
    });
  };
  if (!app.get_options([](const CLI::Option* o) { return o->nonpositional(); }).empty()) {
    page.synopsis += " [OPTIONS]";
  }
  for (const CLI::App* sub : app.get_subcommands({})) {
    add("Commands", sub->get_name(), sub->get_description());
  }
  if (!app.get_subcommands({}).empty()) page.synopsis += " COMMAND";
  for (const std::string& group : app.get_groups()) {
    for (const CLI::Option* option : options(true, group)) {
      const std::string name = name_of(*option, true);
      page.synopsis += option->get_required() ? " " + option->get_name(true, false)
                                              : " [" + option->get_name(true, false) + "]";
      add("Arguments", name, meaning_of(*option));
    }
  }
  for (const std::string& group : app.get_groups()) {
    for (const CLI::Option* option : options(false, group)) {
      add(title_of(group), name_of(*option, false), meaning_of(*option));
    }
  }
  return page;
}

std::string help_text(const HelpPage& page, const std::string& command, std::size_t width) {
  std::string text = wrapped(page.description, width) + "\n\n" +
                     wrapped("Usage: " + command + page.synopsis, width, 7) + "\n";
  for (const HelpPage::Group& group : page.groups) {
    text += "\n" + group.title + ":\n";
    for (const auto& [name, meaning] : group.entries) text += entry_text(name, meaning, width);
  }
  text += "\n";
  each_part(page.footer, [&](const std::string& part, bool as_it_is) {
    text += (as_it_is ? broken(part, width) : wrapped(part, width)) + "\n";
  });
  return text;
}

std::string manual_page(const HelpPage& page, const std::string& command,
                        const std::string& version, const std::vector<std::string>& others) {
  const std::string name = page_name(command);
  std::string text =
      ".TH " + upper(name) + " 1 \"\" \"caucus " + version + "\" \"User Commands\"\n.SH NAME\n" +
      roff(name) + " \\- " + roff(page.description) + "\n.SH SYNOPSIS\n.B " + roff(command) + "\n" +
      roff(page.synopsis.substr(std::min<std::size_t>(1, page.synopsis.size()))) + "\n";
  for (const HelpPage::Group& group : page.groups) {
    text += ".SH " + upper(group.title) + "\n";
    for (const auto& [entry, meaning] : group.entries) {
      text += ".TP\n.B " + roff(entry) + "\n" + roff(meaning) + "\n";
    }
  }
  text += ".SH DESCRIPTION\n";
  bool verbatim = false;
  each_part(page.footer, [&](const std::string& part, bool as_it_is) {
    if (as_it_is != verbatim) text += as_it_is ? ".nf\n" : ".fi\n.PP\n";
    verbatim = as_it_is;
    text += roff(part) + "\n";
  });
  if (verbatim) text += ".fi\n";
  if (!others.empty()) {
    text += ".SH SEE ALSO\n";
    for (std::size_t i = 0; i < others.size(); ++i) {
      text += ".BR " + roff(page_name(others[i])) + " (1)" + (i + 1 < others.size() ? ",\n" : "\n");
    }
  }
  return text;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode /*mode*/) const {
  return help_text(help_page(*app), name, terminal_width(STDOUT_FILENO));
}

}  // namespace caucus::cli
