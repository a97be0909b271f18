#include "caucus/reproduce/reproduce.hpp"

#include <cmath>
#include <cstdio>

namespace caucus::reproduce {

std::size_t Options::reported() const { return repeats.value_or(quick ? 2 : 10); }

double deviation(double value, double reference) { return 100.0 * (value / reference - 1.0); }

std::string percent(double value) {
  if (!std::isfinite(value)) return "-";
  char text[40];
  std::snprintf(text, sizeof text, "%+.1f%%", value);
  return text;
}

void add_evidence(Verdict& verdict, const std::string& where, double deviation, bool supports) {
  if (!std::isfinite(deviation)) verdict.holds.reset();
  if (verdict.holds) verdict.holds = *verdict.holds && supports;
  std::string& text = verdict.evidence;
  text += (text.empty() || text.ends_with(": ") ? "" : ", ") + where + " " + percent(deviation);
}

}  // namespace caucus::reproduce
