// A page that needs nothing but itself: its parts are added in the order in which they are read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/report/charts/chart.hpp"
#include "caucus/report/json.hpp"

namespace caucus::report {

/// Texts in cells, not yet escaped; columns of words are set to the left, numbers to the right.
struct PageTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> words = {true};  ///< by column; those not named hold numbers
};

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// The title as it is read, with a line above it and one below.
  void masthead(std::string_view above, std::string_view below);
  void section(std::string_view heading);
  void paragraph(std::string_view text, std::string_view css = "");
  void list(const std::vector<std::string>& items);
  void table(const PageTable& table, std::string_view css = "");
  /// A figure: title, picture, note, and its numbers behind a fold.
  void chart(const Chart& chart);
  /// The configuration of a result, readable, and the command that made it.
  void configuration(const Json& config);

  [[nodiscard]] std::string finished(std::string_view version) const;

 private:
  std::string title_;
  std::string body_;
  std::size_t figures_ = 0;
};

}  // namespace caucus::report
