// A self-contained HTML page. Its parts are added in the order in which they appear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/json.hpp"

namespace caucus::report {

/// Texts of cells, not yet escaped. Columns of words are left-aligned, numbers right-aligned.
struct PageTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> words = {true};  ///< for each column; further columns hold numbers
};

class Page {
 public:
  /// `version` is that of the program that made the result; it may be empty.
  Page(std::string title, std::string version)
      : title_(std::move(title)), version_(std::move(version)) {}

  /// Adds the title with a line above and one below.
  void masthead(std::string_view above, std::string_view below);
  void section(std::string_view heading);
  void paragraph(std::string_view text, std::string_view css = "");
  void list(const std::vector<std::string>& items);
  void table(const PageTable& table, std::string_view css = "");
  /// Adds a figure: title, picture, note, and its numbers in a collapsible table.
  void chart(const Chart& chart);
  /// Adds the configuration of a result and the command that made it.
  void configuration(const Json& config);

  [[nodiscard]] std::string finished() const;
  /// Every figure as a picture that stands alone, with the page's style inside it.
  [[nodiscard]] const std::vector<std::string>& figures() const { return figures_; }

 private:
  std::string title_, version_;
  std::string body_;
  std::vector<std::string> figures_;
};

}  // namespace caucus::report
