// The help of a command: as text for the terminal and as a manual page, both from the parser.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace caucus::cli {

/// What the help of a command consists of.
struct HelpPage {
  struct Group {
    std::string title;
    std::vector<std::pair<std::string, std::string>> entries;  ///< "--data FILE" and its meaning
  };
  std::string description;
  std::string synopsis;  ///< what may follow the name of the command
  std::vector<Group> groups;
  std::string footer;  ///< paragraphs, and indented lines that are shown as they are
};

HelpPage help_page(const CLI::App& app);

/// Returns the page as text whose lines have at most `width` letters.
std::string help_text(const HelpPage& page, const std::string& command, std::size_t width);

/// Returns the page as a manual page. `others` are the names of related pages.
std::string manual_page(const HelpPage& page, const std::string& command,
                        const std::string& version, const std::vector<std::string>& others);

/// Shows the help as wide as the terminal.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace caucus::cli
