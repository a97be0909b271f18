// The report: one HTML page made from a result. It needs no network and no other file, and the same
// result always gives the same page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

/// An HTML page. Its parts are added in the order in which they appear.
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
  void table(const TextTable& table, std::string_view css = "");
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

/// The page of what `caucus run --json` or `caucus reproduce --json` wrote. A result of another
/// form is a data error that names the place.
Result<std::string> report_html(const Json& result);

/// One figure of that page, counted from 1, as a picture that stands alone.
Result<std::string> figure_svg(const Json& result, std::size_t number);

Result<Page> run_page(const Json& result);
Result<Page> reproduction_page(const Json& result);

}  // namespace caucus::report
