#include "caucus/report/answer/phrases.hpp"

#include <cmath>

#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

constexpr double kSameShare = 0.005;  // a smaller share makes no difference
constexpr double kMany = 9.0;         // a larger share is told as a multiple

}  // namespace

std::string percent(double share) {
  const double hundreds = 100.0 * share;
  if (share > 0.0 && hundreds < 1.0) return "less than 1%";
  if (share < 1.0 && hundreds >= 99.95) return "over 99.9%";
  const bool close_to_all = hundreds > 99.0 && hundreds < 100.0;
  return fixed(hundreds, close_to_all ? 1 : 0) + "%";
}

std::string counted(double count, const std::string& one) {
  return figure(count) + " " + one + (count == 1.0 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string beside(double value, double reference) {
  const double share = value / reference - 1.0;
  if (!(std::abs(share) >= kSameShare)) return "the same as";
  if (share >= kMany) return figure(share + 1.0, 2) + " times";
  return share < 0.0 ? percent(-share) + " below" : percent(share) + " above";
}

std::string change_text(double value, double reference) {
  const double share = value / reference - 1.0;
  if (!(std::abs(share) >= kSameShare)) return kTheSame;
  if (share >= kMany) return figure(share + 1.0, 2) + " times as high";
  return share < 0.0 ? percent(-share) + " lower" : percent(share) + " higher";
}

}  // namespace caucus::report
