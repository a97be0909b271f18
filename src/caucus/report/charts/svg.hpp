// The parts of all charts. Units are those of the viewBox; a letter of a label is about 12 units
// high.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/report/charts/axis.hpp"

namespace caucus::report {

inline constexpr double kChartWidth = 560.0;
inline constexpr double kNarrowWidth = 352.0;  ///< for a telephone
inline constexpr double kLineHeight = 15.0;    ///< of a label
inline constexpr std::size_t kMostLetters = 24;

/// Returns the width reserved for a text, which suffices for the usual fonts.
double text_width(std::string_view text);
/// Returns the width of the widest text, each shortened as a label is.
double widest_label(const std::vector<std::string>& texts, std::size_t most = kMostLetters);
/// Returns a coordinate with one decimal, which is finer than a pixel.
std::string coordinate(double value);

class Svg {
 public:
  void line(std::string_view css, double x1, double y1, double x2, double y2);
  void path(std::string_view css, const std::string& d);
  void rectangle(std::string_view css, double x, double y, double width, double height);
  void text(std::string_view css, double x, double y, std::string_view text);
  /// Draws one of eight shapes, centred.
  void marker(std::size_t look, double x, double y);

  /// The complete picture, with a title and a description for screen readers. `places`: where on
  /// the x axis a reader may ask for numbers, with the range of y that the pointer's line then
  /// covers.
  [[nodiscard]] std::string finished(const std::string& id, double width, double height,
                                     std::string_view title, std::string_view description,
                                     const std::string& places = {}) const;

 private:
  void add(std::string_view tag, std::string_view css,
           std::initializer_list<std::pair<const char*, double>> attributes,
           const std::string& rest = "/>");

  std::string body_;
};

/// Returns "s0" ... "s7"; the style sheet defines their colours.
std::string look_class(std::size_t look);
/// The class of a line. When the colours start again, the dashes differ.
std::string line_class(std::size_t look);

/// The rectangle in which values are drawn.
struct Plot {
  Axis x, y;
  double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;
  double width = kChartWidth;  ///< of the picture

  [[nodiscard]] double at_x(double value) const { return left + x.share(value) * (right - left); }
  [[nodiscard]] double at_y(double value) const { return bottom - y.share(value) * (bottom - top); }
  /// Returns "x y", the coordinates for a path.
  [[nodiscard]] std::string point(double x_value, double y_value) const;
  /// Returns whether a value is in the rectangle; values above the axis are not.
  [[nodiscard]] bool shows(double x_value, double y_value) const;
  /// Draws the grid, the ticks and the names of the axes.
  void draw_frame(Svg& svg, std::string_view x_label, std::string_view y_label,
                  bool grid = true) const;
  /// Returns the attributes by which the page's script finds the positions of the rows of numbers.
  [[nodiscard]] std::string places(const std::vector<double>& x_values) const;
};

/// Makes a plot with the least room for the axes and, on its right, for a margin.
Plot make_plot(Axis x, Axis y, double right_margin, double height, double width);

/// Returns a closed path along the points `upper` and back along `lower`, or "" without points.
std::string outline(const std::vector<std::string>& upper, const std::vector<std::string>& lower);

/// A name to the right of the plot for a line that ends at (x, y).
struct EndLabel {
  double x = 0.0, y = 0.0;
  std::string text;
};
/// Draws names beside the plot, moved apart, with thin lines to their ends.
void draw_end_labels(Svg& svg, const Plot& plot, const std::vector<EndLabel>& labels);
/// Makes a plot with the room that these names need beside it.
Plot plot_beside(Axis x, Axis y, const std::vector<std::string>& names, double height,
                 double width);

}  // namespace caucus::report
