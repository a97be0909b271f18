// The report: one HTML page made from a result. It needs no network and no other file, and the same
// result always gives the same page.
#pragma once

#include <string>

#include "caucus/report/json.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

/// Makes the page of a result that `caucus run --json` or `caucus reproduce --json` wrote. Anything
/// else is a data error that names the place.
Result<std::string> report_html(const Json& result);

/// The two kinds of page.
Result<std::string> run_report_html(const Json& result);
Result<std::string> reproduction_report_html(const Json& result);

}  // namespace caucus::report
