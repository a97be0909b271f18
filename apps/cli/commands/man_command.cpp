// caucus man: prints manual pages, made from the parser as the help is.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "options/help.hpp"
#include "options/outputs.hpp"
#include "version.hpp"

namespace caucus::cli {
namespace {

struct Page {
  std::string command;  ///< "caucus data info"
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& command, std::vector<Page>& pages) {
  pages.push_back({command, &app});
  for (const CLI::App* sub : app.get_subcommands({})) {
    collect(*sub, command + " " + sub->get_name(), pages);
  }
}

std::string text_of(const Page& page, const std::vector<Page>& all) {
  std::vector<std::string> others;
  for (const Page& other : all) {
    const bool above = page.command.starts_with(other.command + " ");
    const bool below = other.command.starts_with(page.command + " ");
    if (above || below) others.push_back(other.command);
  }
  return manual_page(help_page(*page.app), page.command, version(), others);
}

Status write_pages(const std::vector<Page>& pages, const std::string& directory) {
  CAUCUS_TRY(NewDirectory made, NewDirectory::make(directory));
  std::vector<Output> outputs;
  for (const Page& page : pages) {
    std::string name = page.command;
    std::replace(name.begin(), name.end(), ' ', '-');
    outputs.push_back({"--out", directory + "/" + name + ".1", text_of(page, pages)});
  }
  CAUCUS_CHECK(write_outputs(outputs));
  made.keep();
  return Done{};
}

}  // namespace

void add_man(CLI::App& app, Action& action) {
  CLI::App* man = app.add_subcommand("man", "Print a manual page, or write all of them");
  struct Given {
    std::vector<std::string> command;
    std::string out;
  };
  auto given = std::make_shared<Given>();
  man->add_option("command", given->command, "the command, as in data info; none: caucus itself");
  man->add_option("--out", given->out, "write the pages of all commands into this directory")
      ->type_name("DIR");
  man->footer("Examples:\n  caucus man run | man -l -\n  caucus man --out man1");
  man->callback([given, &app, &action] {
    action = [given, &app]() -> Status {
      std::vector<Page> pages;
      collect(app, "caucus", pages);
      if (!given->out.empty()) return write_pages(pages, given->out);
      std::string wanted = "caucus";
      for (const std::string& word : given->command) wanted += " " + word;
      std::vector<std::string> known;
      for (const Page& page : pages) {
        if (page.command == wanted) return print(text_of(page, pages));
        known.push_back(page.command);
      }
      return usage_error("caucus man", "'" + wanted + "' is not a command",
                         suggestion(wanted, known));
    };
  });
}

}  // namespace caucus::cli
