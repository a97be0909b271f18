#include "serving/disclosure.hpp"

#include "caucus/engine/problem.hpp"

namespace caucus::cli {

Disclosure disclosure_of(const FederationSettings& settings) {
  const SharedPlan& plan = settings.plan;
  const auto rows = [](std::size_t count) {
    return std::to_string(count) + (count == 1 ? " row" : " rows");
  };
  if (plan.statistics && plan.hides_examples) {
    // The least batch follows from the number of features, which only the first client may know.
    const bool known = plan.features > 0;
    const std::size_t least = upload_rule(settings.problem, plan.features, true).least;
    return {"the server learns sums over " + (known ? "at least " + rows(least) : "many rows") +
                " of a client at a time, not the rows (docs/privacy.md)",
            false};
  }
  if (plan.statistics) {
    const std::size_t least =
        plan.rounds_per_upload > 0 ? plan.rounds_per_upload : settings.problem.min_batch;
    return {"the server can compute rows of the clients: min_batch = " +
                std::to_string(settings.problem.min_batch) + " sends sums that reveal rows, over " +
                rows(least) + " or more (docs/privacy.md)",
            true};
  }
  if (plan.rounds_per_upload == 1) {
    return {
        "the server can compute every row that a client learns from: this schedule sends "
        "gradients of single rows (docs/privacy.md)",
        true};
  }
  return {"the server can compute rows of the clients: this schedule sends mean gradients over " +
              rows(plan.rounds_per_upload) + ", which need not hide them (docs/privacy.md)",
          true};
}

}  // namespace caucus::cli
