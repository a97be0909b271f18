// Whatever a result file holds, its report is a whole page with no script but ours, or an error.
#include <cstdlib>
#include <string>

#include "caucus/report/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus;
  const auto json = report::Json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return 0;
  const auto html = report::report_html(json);
  if (!html.ok()) {
    if (html.error().line().find('\n') != std::string::npos) std::abort();
    return 0;
  }
  const std::string& page = html.value();
  const std::size_t script = page.find("<script");
  if (script == std::string::npos || page.find("<script", script + 1) != std::string::npos) {
    std::abort();
  }
  if (!page.ends_with("</html>\n")) std::abort();
  return 0;
}
