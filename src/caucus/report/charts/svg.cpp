#include "caucus/report/charts/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "caucus/report/html_text.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

constexpr double kLabelOffset = 16.0;  // from the plot to the names beside it

/// Outlines of the markers around (0, 0).
constexpr std::array<const char*, 8> kShapes = {
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",  // circle
    "M-3.3 -3.3h6.6v6.6h-6.6z",                           // square
    "M0 -4.4L4.2 3.1H-4.2z",                              // triangle
    "M0 -4.8L4.8 0L0 4.8L-4.8 0z",                        // diamond
    "M0 4.4L4.2 -3.1H-4.2z",                              // triangle, down
    "M-1.4 -4.4h2.8v3h3v2.8h-3v3h-2.8v-3h-3v-2.8h3z",     // plus
    "M-4.6 -1.7h9.2v3.4h-9.2z",                           // bar
    "M0 -4.6L4.4 -1.4L2.7 3.7H-2.7L-4.4 -1.4z"};          // pentagon

}  // namespace

double text_width(std::string_view text) {
  constexpr std::string_view kNarrow = " .,:;'|!()[]ijlftr-";
  constexpr std::string_view kWide = "mwMW%=";
  double width = 0.0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80U && byte < 0xC0U) continue;  // inside a code point
    const bool is_wide = kWide.find(c) != std::string_view::npos || byte >= 0xE0U;
    const bool is_narrow = kNarrow.find(c) != std::string_view::npos;
    width += is_wide ? 11.0 : is_narrow ? 4.7 : c >= 'A' && c <= 'Z' ? 8.6 : 7.5;
  }
  return width;
}

double widest_label(const std::vector<std::string>& texts, std::size_t most) {
  double widest = 0.0;
  for (const std::string& text : texts) {
    widest = std::max(widest, text_width(shortened(text, most)));
  }
  return widest;
}

std::string coordinate(double value) {
  std::string text = digits_of(value, std::chars_format::fixed, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string look_class(std::size_t look) { return "s" + std::to_string(look % 8); }

std::string line_class(std::size_t look) {
  static const std::array<const char*, 3> kDashes = {"", " again", " anew"};
  return look_class(look) + kDashes[look / 8 % kDashes.size()];
}

void Svg::add(std::string_view tag, std::string_view css,
              std::initializer_list<std::pair<const char*, double>> attributes,
              const std::string& rest) {
  body_ += "<" + std::string(tag) + " class=\"" + std::string(css) + "\"";
  for (const auto& [name, value] : attributes) {
    body_ += std::string(" ") + name + "=\"" + coordinate(value) + "\"";
  }
  body_ += rest + "\n";
}

void Svg::line(std::string_view css, double x1, double y1, double x2, double y2) {
  add("line", css, {{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

void Svg::path(std::string_view css, const std::string& d) {
  add("path", css, {}, " d=\"" + d + "\"/>");
}

void Svg::rectangle(std::string_view css, double x, double y, double width, double height) {
  add("rect", css, {{"x", x}, {"y", y}, {"width", width}, {"height", height}});
}

void Svg::text(std::string_view css, double x, double y, std::string_view text) {
  add("text", css, {{"x", x}, {"y", y}},
      ">" + escaped(shortened(text, 3 * kMostLetters)) + "</text>");
}

void Svg::marker(std::size_t look, double x, double y) {
  // There are eight colours and eight shapes; when colours repeat, they get other shapes.
  const std::size_t shape = (look + look / kShapes.size()) % kShapes.size();
  add("path", "marker " + look_class(look), {},
      " transform=\"translate(" + coordinate(x) + " " + coordinate(y) + ")\" d=\"" +
          kShapes[shape] + "\"/>");
}

std::string Svg::finished(const std::string& id, double width, double height,
                          std::string_view title, std::string_view description,
                          const std::string& places) const {
  return "<svg class=\"chart\" id=\"" + id + "\" viewBox=\"0 0 " + coordinate(width) + " " +
         coordinate(height) + "\" role=\"img\" aria-labelledby=\"" + id + "-title " + id +
         "-desc\"" + places + ">\n<title id=\"" + id + "-title\">" + escaped(title) +
         "</title>\n<desc id=\"" + id + "-desc\">" + escaped(description) + "</desc>\n" + body_ +
         "</svg>\n";
}

bool Plot::shows(double x_value, double y_value) const {
  return std::isfinite(x_value) && std::isfinite(y_value) &&
         (x.scale == Scale::linear || x_value > 0.0) &&
         (y.scale == Scale::linear || y_value > 0.0) && y_value <= y.high + 1e-9 * std::abs(y.high);
}

void Plot::draw_frame(Svg& svg, std::string_view x_label, std::string_view y_label,
                      bool grid) const {
  for (const Tick& tick : y.ticks) {
    const double at = at_y(tick.value);
    if (grid) svg.line(tick.value == 0.0 ? "zero" : "grid", left, at, right, at);
    svg.text("tick end", left - 7.0, at + 4.0, tick.label);
  }
  svg.line("axis", left, bottom, right, bottom);
  double free_from = -width;
  for (const Tick& tick : x.ticks) {
    const double at = at_x(tick.value);
    svg.line("axis", at, bottom, at, bottom + 4.0);
    const double half = text_width(tick.label) / 2.0;
    if (at - half < free_from) continue;  // its label would touch the one before
    svg.text("tick mid", at, bottom + 18.0, tick.label);
    free_from = at + half + 4.0;
  }
  svg.text("name", 0.0, top - 16.0, y_label);
  svg.text("name mid", (left + right) / 2.0, bottom + 37.0, x_label);
}

std::string Plot::places(const std::vector<double>& x_values) const {
  std::string list;
  for (const double value : x_values) {
    list += (list.empty() ? "" : " ") + (shows(value, y.high) ? coordinate(at_x(value)) : "x");
  }
  return " data-x=\"" + list + "\" data-y=\"" + coordinate(top) + " " + coordinate(bottom) + "\"";
}

std::string Plot::point(double x_value, double y_value) const {
  return coordinate(at_x(x_value)) + " " + coordinate(at_y(y_value));
}

Plot make_plot(Axis x, Axis y, double right_margin, double height, double width) {
  double widest = 0.0;
  for (const Tick& tick : y.ticks) widest = std::max(widest, text_width(tick.label));
  constexpr double kTop = 32.0;
  return {std::move(x), std::move(y),  widest + 9.0, width - right_margin,
          kTop,         kTop + height, width};
}

std::string outline(const std::vector<std::string>& upper, const std::vector<std::string>& lower) {
  std::string d;
  for (const std::string& point : upper) d += (d.empty() ? "M" : "L") + point;
  std::for_each(lower.rbegin(), lower.rend(), [&](const std::string& p) { d += "L" + p; });
  return d.empty() ? d : d + "Z";
}

Plot plot_beside(Axis x, Axis y, const std::vector<std::string>& names, double height,
                 double width) {
  return make_plot(std::move(x), std::move(y), kLabelOffset + 2.0 + widest_label(names),
                   std::max(height, kLineHeight * static_cast<double>(names.size())), width);
}

void draw_end_labels(Svg& svg, const Plot& plot, const std::vector<EndLabel>& labels) {
  std::vector<double> places;
  places.reserve(labels.size());
  for (const EndLabel& label : labels) places.push_back(label.y);
  places = nudged_apart(places, kLineHeight, plot.top - 4.0, plot.bottom + 2.0);
  const double column = plot.right + kLabelOffset;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    svg.line("leader", labels[i].x + 5.0, labels[i].y, column - 3.0, places[i]);
    svg.text("label", column, places[i] + 4.0, shortened(labels[i].text, kMostLetters));
  }
}

}  // namespace caucus::report
