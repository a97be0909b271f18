#include "caucus/report/report.hpp"

#include "caucus/report/page.hpp"

namespace caucus::report {
namespace {

Result<Page> page_of(const Json& result) {
  if (result.is_object() && result.contains("reproduce")) return reproduction_page(result);
  if (result.is_object() && result.contains("results")) return run_page(result);
  return data_error("result", "has neither results nor a reproduction",
                    "expected a result of caucus run or caucus reproduce");
}

}  // namespace

Result<std::string> report_html(const Json& result) {
  CAUCUS_TRY(const Page page, page_of(result));
  return page.finished();
}

Result<std::string> figure_svg(const Json& result, std::size_t number) {
  CAUCUS_TRY(const Page page, page_of(result));
  if (number >= 1 && number <= page.figures().size()) return page.figures()[number - 1];
  return usage_error(
      "--figure", std::to_string(number),
      "expected 1 to " + std::to_string(page.figures().size()) + ", the figures of this page");
}

}  // namespace caucus::report
