#include "caucus/report/page.hpp"

#include <algorithm>

#include "caucus/report/html_text.hpp"
#include "caucus/report/page_style.hpp"

namespace caucus::report {
namespace {

bool holds_words(const PageTable& table, std::size_t column) {
  return column < table.words.size() && table.words[column];
}

std::string table_html(const PageTable& table) {
  std::string html = "<div class=\"scroll\"><table>\n";
  const auto css = [&](std::size_t c) { return holds_words(table, c) ? "" : " class=\"number\""; };
  if (!table.columns.empty()) {
    html += "<thead><tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      html += std::string("<th scope=\"col\"") + css(c) + ">" + escaped(table.columns[c]) + "</th>";
    }
    html += "</tr></thead>\n";
  }
  html += "<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool heads_row = c == 0 && holds_words(table, c);
      html += heads_row ? "<th scope=\"row\">" : std::string("<td") + css(c) + ">";
      html += escaped(row[c]) + (heads_row ? "</th>" : "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

/// Returns one value of a configuration, shortened for reading.
std::string value_text(const Json& value) {
  constexpr std::size_t kMostElements = 12;
  if (value.is_string()) return shortened(value.get<std::string>(), 300);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > 1'000'000'000U) {
    return std::to_string(
        value.get<std::uint64_t>());  // for example a seed, whose digits all matter
  }
  if (value.is_number()) return figure(value.get<double>(), 6);
  if (!value.is_array()) return value.is_null() ? "–" : "…";
  std::string text;
  for (std::size_t i = 0; i < std::min(value.size(), kMostElements); ++i) {
    const Json& element = value[i];
    text += (i == 0 ? "" : ", ") + (element.is_structured() ? "…" : value_text(element));
  }
  if (value.size() > kMostElements) {
    text += ", … " + value_text(value.back().is_structured() ? Json("…") : value.back()) + " (" +
            figure(static_cast<double>(value.size())) + " in all)";
  }
  return text;
}

std::string words_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

/// Adds one row per value: "federation / clients | 10".
void add_rows(PageTable& table, const std::string& path, const Json& value, int depth) {
  constexpr std::size_t kMostRows = 300;
  constexpr int kMostDepth = 4;
  if (table.rows.size() >= kMostRows) return;
  const bool list_of_objects = value.is_array() && !value.empty() && value.front().is_object();
  if (depth > kMostDepth || (!value.is_object() && !list_of_objects)) {
    table.rows.push_back({path, value_text(value)});
    return;
  }
  std::size_t number = 0;
  for (const auto& [key, element] : value.items()) {
    ++number;
    if (depth == 0 && key == "command") continue;
    const std::string name =
        value.is_object() ? words_of(shortened(key, 60)) : std::to_string(number);
    add_rows(table, path.empty() ? name : path + (value.is_object() ? " / " : " ") + name, element,
             depth + 1);
  }
}

/// The picture of a chart as a file: with a namespace, the page's style and a background.
std::string standing_alone(const std::string& svg) {
  const std::size_t first_line = svg.find('\n');
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" font-size=\"16\" " +
         svg.substr(5, first_line - 5) + "\n<style>" + kStyle +
         "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>" +
         svg.substr(first_line);
}

}  // namespace

void Page::masthead(std::string_view above, std::string_view below) {
  body_ += "<header>\n<p class=\"above\">" + escaped(above) + "</p>\n<h1>" + escaped(title_) +
           "</h1>\n<p class=\"below\">" + escaped(below) + "</p>\n</header>\n";
}

void Page::section(std::string_view heading) { body_ += "<h2>" + escaped(heading) + "</h2>\n"; }

void Page::paragraph(std::string_view text, std::string_view css) {
  if (text.empty()) return;
  body_ +=
      (css.empty() ? "<p>" : "<p class=\"" + std::string(css) + "\">") + escaped(text) + "</p>\n";
}

void Page::list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += "<li>" + escaped(item) + "</li>\n";
  body_ += "</ul>\n";
}

void Page::table(const PageTable& table, std::string_view css) {
  body_ += "<div class=\"" + std::string(css) + "\">" + table_html(table) + "</div>\n";
}

void Page::chart(const Chart& chart) {
  const std::string number = std::to_string(figures_.size() + 1);
  const std::string svg = svg_of(chart, "chart-" + number);
  figures_.push_back(standing_alone(svg));
  const ChartText& text = text_of(chart);
  const ChartNumbers numbers = numbers_of(chart);
  body_ += "<figure>\n<figcaption><h3><span class=\"figure-number\">Figure " + number + "</span> " +
           escaped(text.title) + "</h3></figcaption>\n<div class=\"scroll\">" + svg + "</div>\n";
  if (!text.note.empty()) body_ += "<p class=\"note\">" + escaped(text.note) + "</p>\n";
  body_ += "<details><summary>Numbers of figure " + number + "</summary>\n" +
           table_html({numbers.columns, numbers.rows}) + "</details>\n</figure>\n";
}

void Page::configuration(const Json& config) {
  section("Configuration");
  PageTable table{{}, {}, {true, true}};
  add_rows(table, "", config, 0);
  body_ += "<div class=\"configuration\">\n" + table_html(table) + "</div>\n";
  const auto command = config.find("command");
  if (command != config.end() && command->is_string()) {
    section("Command");
    body_ += "<pre><code>" + escaped(command->get<std::string>()) + "</code></pre>\n";
  }
}

std::string Page::finished() const {
  const std::string made =
      version_.empty() ? "Made by caucus." : "Made by caucus " + escaped(version_) + ".";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src 'unsafe-inline'; script-src '" +
         std::string(kScriptHash) +
         "'; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         escaped(title_) + " – caucus</title>\n<style>" + kStyle +
         "</style>\n</head>\n<body>\n<main>\n" + body_ + "</main>\n<footer>" + made +
         " Everything on this page is in this file; it loads nothing.</footer>\n<script>" +
         kScript + "</script>\n</body>\n</html>\n";
}

}  // namespace caucus::report
