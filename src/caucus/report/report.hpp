// The report: one HTML page made from a result. It needs no network and no other file, and the same
// result always gives the same page.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/report/json.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

class Page;

/// The page of what `caucus run --json` or `caucus reproduce --json` wrote. A result of another
/// form is a data error that names the place.
Result<std::string> report_html(const Json& result);

/// One figure of that page, counted from 1, as a picture that stands alone.
Result<std::string> figure_svg(const Json& result, std::size_t number);

/// The two kinds of page.
Result<Page> run_page(const Json& result);
Result<Page> reproduction_page(const Json& result);

}  // namespace caucus::report
