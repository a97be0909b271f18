// The report: one HTML page made of a result and of nothing else, which needs no network and no
// other file. The same result gives the same page.
#pragma once

#include <string>

#include "caucus/report/json.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

/// Of what `caucus run --json` or `caucus reproduce --json` wrote. What does not look like it is a
/// data error that names the place.
Result<std::string> report_html(const Json& result);

/// The two kinds of page.
Result<std::string> run_report_html(const Json& result);
Result<std::string> reproduction_report_html(const Json& result);

}  // namespace caucus::report
