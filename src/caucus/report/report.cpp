#include "caucus/report/report.hpp"

namespace caucus::report {

Result<std::string> report_html(const Json& result) {
  if (result.is_object() && result.contains("reproduce")) return reproduction_report_html(result);
  if (result.is_object() && result.contains("results")) return run_report_html(result);
  return data_error("result", "has neither results nor a reproduction",
                    "expected a result of caucus run or caucus reproduce");
}

}  // namespace caucus::report
