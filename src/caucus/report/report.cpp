#include "caucus/report/report.hpp"

#include <algorithm>

#include "caucus/report/html_text.hpp"
#include "caucus/report/page_style.hpp"

namespace caucus::report {
namespace {

/// On a narrow screen a row of a table with `names` becomes a list, in which each cell has the name
/// of its column.
std::string table_html(const TextTable& table, bool names = false) {
  std::string html = "<div class=\"scroll\"><table>\n";
  const auto css = [&](std::size_t c) { return table.words[c] ? "" : " class=\"number\""; };
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
      const bool heads_row = c == 0 && table.words[c];
      const bool named = names && c < table.columns.size();
      const std::string name = named ? " data-name=\"" + escaped(table.columns[c]) + "\"" : "";
      html += heads_row ? "<th scope=\"row\">" : std::string("<td") + css(c) + name + ">";
      html += escaped(row[c]) + (heads_row ? "</th>" : "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string element(const std::string& tag, std::string_view text, std::string_view css = "") {
  const std::string attribute = css.empty() ? "" : " class=\"" + std::string(css) + "\"";
  return "<" + tag + attribute + ">" + escaped(text) + "</" + tag + ">\n";
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
void add_rows(TextTable& table, const std::string& path, const Json& value, int depth) {
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

Result<Page> page_of(const Json& result) {
  if (result.is_object() && result.contains("reproduce")) return reproduction_page(result);
  if (result.is_object() && result.contains("results")) return run_page(result);
  return data_error("result", "has neither results nor a reproduction",
                    "expected a result of caucus run or caucus reproduce");
}

}  // namespace

void Page::masthead(std::string_view above, std::string_view below) {
  body_ += "<header>\n" + element("p", above, "above") + element("h1", title_) +
           element("p", below, "below") + "</header>\n";
}

void Page::section(std::string_view heading) { body_ += element("h2", heading); }

void Page::paragraph(std::string_view text, std::string_view css) {
  if (!text.empty()) body_ += element("p", text, css);
}

void Page::list(const std::vector<std::string>& items) {
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += element("li", item);
  body_ += "</ul>\n";
}

void Page::table(const TextTable& table, std::string_view css) {
  body_ +=
      "<div class=\"" + std::string(css) + "\">" + table_html(table, css == "summary") + "</div>\n";
}

void Page::chart(const Chart& chart) {
  const std::string number = std::to_string(figures_.size() + 1);
  const std::string svg = svg_of(chart, "chart-" + number);
  figures_.push_back(standing_alone(svg));
  const ChartText text = std::visit([](const auto& any) { return any.text; }, chart);
  body_ += "<figure>\n<figcaption><h3><span class=\"figure-number\">Figure " + number + "</span> " +
           escaped(text.title) + "</h3></figcaption>\n<div class=\"wide\">" + svg +
           "</div>\n<div class=\"narrow\">" + svg_of(chart, "narrow-" + number, kNarrowWidth) +
           "</div>\n";
  paragraph(text.note, "note");
  body_ += "<details><summary>Numbers of figure " + number + "</summary>\n" +
           table_html(numbers_of(chart)) + "</details>\n</figure>\n";
}

void Page::configuration(const Json& config) {
  section("Configuration");
  TextTable table;
  table.words = {true, true};
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

Result<std::string> report_html(const Json& result) {
  CAUCUS_TRY(const Page page, page_of(result));
  return page.finished();
}

Result<std::string> figure_svg(const Json& result, std::size_t number) {
  CAUCUS_TRY(const Page page, page_of(result));
  if (number >= 1 && number <= page.figures().size()) return page.figures()[number - 1];
  return usage_error(
      "figure", std::to_string(number),
      "expected 1 to " + std::to_string(page.figures().size()) + ", the figures of this page");
}

}  // namespace caucus::report
