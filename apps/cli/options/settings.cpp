#include "options/settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "caucus/report/words.hpp"
#include "options/setting_parts.hpp"
#include "options/values.hpp"

namespace caucus::cli {
namespace {

/// A number, or the word auto, which leaves it to the program.
Result<std::optional<double>> number_or_auto(const std::string& value) {
  if (value == "auto") return std::optional<double>{};
  CAUCUS_TRY(const double parsed, parse_number(value));
  return std::optional<double>(parsed);
}

/// An adaptive schedule has no bounds.
Json bound_json(const RunConfig& config, const std::optional<double>& value) {
  if (is_adaptive(config.schedule)) return nullptr;
  return value ? Json(*value) : Json("auto");
}

template <class Enum>
Json optional_word(const report::Words<Enum>& words, const std::optional<Enum>& value) {
  return value ? Json(report::word_of(words, *value)) : Json(nullptr);
}

/// Parses one of several words.
template <class Enum>
auto one_of(const report::Words<Enum>& words) {
  return [&words](const std::string& value) -> Result<Enum> {
    if (const auto meaning = report::meaning_of(words, value)) return *meaning;
    std::string list;
    for (const auto& [word, meaning] : words) list += (list.empty() ? "expected " : ", ") + word;
    return usage_error("", "'" + value + "' is not valid", list);
  };
}

Status set_algorithms(RunConfig& config, const std::string& value) {
  config.algorithms = split(value, ',');
  for (const std::string& name : config.algorithms) CAUCUS_CHECK(as_text(name));
  return Done{};
}

std::vector<Setting<RunConfig>> make_run_settings() {
  using C = RunConfig;
  return {
      {"data", "file", "--data", "FILE", "CSV, CSV.gz, LIBSVM or ARFF with all clients' rows",
       store(&C::file, as_text), [](const C& c) { return text(c.file); }},
      {"data", "clients_from", "--clients-from", "DIR",
       "one file per client, in the order of their names; rows keep their order",
       store(&C::clients_from, as_text), [](const C& c) { return text(c.clients_from); }},
      {"data", "target", "--target", "last|first|N|NAME", "target column, counted from 1",
       store(&C::target, as_text), [](const C& c) { return Json(c.target); }},
      {"data", "feature_range", "--feature-range", "A,B",
       "min-max scale the features to [A, B]; advisable where their units differ",
       store(&C::feature_range, parse_interval),
       [](const C& c) { return interval(c.feature_range); }},
      {"data", "label_range", "--label-range", "A,B", "min-max scale the target to [A, B]",
       store(&C::label_range, parse_interval), [](const C& c) { return interval(c.label_range); }},
      {"data", "scale_from", "--scale-from", "FILE",
       "take minimum and maximum from this data or ranges file", store(&C::scale_from, as_text),
       [](const C& c) { return text(c.scale_from); }},

      {"federation", "clients", "--clients", "M", "number of clients (10)",
       store(&C::clients, parse_count), [](const C& c) { return optional(c.clients); }},
      {"federation", "partition", "--partition", "shuffle|blocks|column:N|dirichlet:A",
       "how rows are dealt to clients (shuffle)", store(&C::partition, as_text),
       [](const C& c) { return optional(c.partition); }},
      {"federation", "dropout", "--dropout", "F", "share of reports lost at random (0)",
       store(&C::dropout, parse_number), [](const C& c) { return Json(c.dropout); }},

      {"algorithm", "name", "--algorithm", "NAME",
       "fomd-oms, nco-oms, em-kofl, vm-kofl, pm-kofl, pof-mkl, or with K = 1 ofskl, fed-omd, "
       "fedposgd; "
       "repeat it to compare on the same data, order and seeds",
       set_algorithms,
       [](const C& c) {
         return c.algorithms.size() == 1 ? Json(c.algorithms[0]) : Json(c.algorithms);
       }},
      {"algorithm", "sample", "--sample", "J", "models a client holds per round (min(2, K))",
       store(&C::sample, parse_count), [](const C& c) { return optional(c.sample); }},
      {"algorithm", "rounds_per_upload", "--rounds-per-upload", "N", "rounds between uploads (1)",
       store(&C::rounds_per_upload, parse_count),
       [](const C& c) { return Json(c.rounds_per_upload); }},
      {"algorithm", "loss", "--loss", "LOSS",
       "square, absolute, huber[:delta], logistic, hinge, pinball[:tau] or linear",
       store(&C::loss, [](const std::string& value) { return parse_loss(value); }),
       [](const C& c) { return Json(c.loss.name()); }},

      {"schedule", "kind", "--schedule", "KIND",
       "adaptive, adaptive-first-order, theory or constant (adaptive)",
       store(&C::schedule, one_of(report::kSchedules)),
       [](const C& c) { return Json(report::word_of(report::kSchedules, c.schedule)); }},
      {"schedule", "horizon", "--horizon", "rounds|examples", "T of the theory (rounds)",
       store(&C::horizon, one_of(report::kHorizons)),
       [](const C& c) { return optional_word(report::kHorizons, c.horizon); }},
      {"schedule", "feature_bound", "--feature-bound", "X|auto", "b_i >= |phi_i(x)| (auto)",
       store(&C::feature_bound, number_or_auto),
       [](const C& c) { return bound_json(c, c.feature_bound); }},
      {"schedule", "label_bound", "--label-bound", "Y|auto", "Y >= |y| (auto)",
       store(&C::label_bound, number_or_auto),
       [](const C& c) { return bound_json(c, c.label_bound); }},
      {"schedule", "gradient_scale", "--gradient-scale", "S", "G_i = S (U_i b_i + Y) b_i (2)",
       store(&C::gradient_scale, parse_number),
       [](const C& c) { return optional(c.gradient_scale); }},
      {"schedule", "loss_bound", "--loss-bound", "C", "C_i of all spaces, in place of the formula",
       store(&C::loss_bound, parse_number), [](const C& c) { return optional(c.loss_bound); }},
      {"schedule", "eta", "--eta", "X", "constant schedule: rate of the probabilities",
       store(&C::eta, parse_number), [](const C& c) { return optional(c.eta); }},
      {"schedule", "lambda", "--lambda", "X", "constant schedule: step size of the models",
       store(&C::lambda, parse_number), [](const C& c) { return optional(c.lambda); }},
      {"schedule", "fixed_share", "--fixed-share", "A",
       "drifting data: share of p spread anew, and of the past forgotten, per round (0)",
       store(&C::fixed_share, parse_number), [](const C& c) { return Json(c.fixed_share); }},

      {"schedule", "weight_rate", "--weight-rate", "X", "baselines: eta_g or eta_j (1)",
       store(&C::weight_rate, parse_number), [](const C& c) { return optional(c.weight_rate); }},
      {"schedule", "model_rate", "--model-rate", "X", "baselines: eta_l or eta (0.5)",
       store(&C::model_rate, parse_number), [](const C& c) { return optional(c.model_rate); }},
      {"schedule", "regularization", "--regularization", "X", "baselines: lambda (1e-4)",
       store(&C::regularization, parse_number),
       [](const C& c) { return optional(c.regularization); }},
      {"schedule", "exploration", "--exploration", "X",
       "pof-mkl: xi; fedposgd: the scale of its exploration (1)",
       store(&C::exploration, parse_number), [](const C& c) { return optional(c.exploration); }},

      {"run", "repeats", "--repeats", "R", "repetitions over seeds (1)",
       store(&C::repeats, parse_count), [](const C& c) { return Json(c.repeats); }},
      {"run", "seed", "--seed", "S", "seed of all random numbers (1)", store(&C::seed, parse_count),
       [](const C& c) {  // TOML's integers have a sign
         constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
         return c.seed <= kMost ? Json(c.seed) : Json(std::to_string(c.seed));
       }},
      {"run", "threads", "--threads", "N",
       "threads for repetitions and many clients (0: all cores)", store(&C::threads, parse_count),
       [](const C& c) { return Json(c.threads); }},
      {"run", "regret", "--regret", "", "exact regret against every space",
       store(&C::regret, parse_switch), [](const C& c) { return Json(c.regret); }},
  };
}

std::vector<Setting<SpaceGroup>> make_space_settings() {
  using G = SpaceGroup;
  const auto features = [](const std::string& value) -> Result<std::uint32_t> {
    CAUCUS_TRY(const std::uint64_t count, parse_count(value));
    if (count < 1 || count > 1'000'000) {
      return usage_error("", "'" + value + "' is not valid", "expected 1 to 1,000,000");
    }
    return static_cast<std::uint32_t>(count);
  };
  return {
      {"space", "kind", "--spaces", "KIND",
       "linear, gaussian, laplacian, cauchy or experts; repeatable, each followed by its options",
       store(&G::kind, one_of(report::kSpaceKinds)),
       [](const G& g) { return Json(report::word_of(report::kSpaceKinds, g.kind)); }},
      {"space", "radii", "--radii", "FROM:TO:COUNT|A,B,...",
       "linear: one space per radius (inf; theory, constant: 1)", store(&G::radii, parse_numbers),
       [](const G& g) { return g.radii ? numbers(*g.radii) : Json(nullptr); }},
      {"space", "widths", "--widths", "A,B,...", "kernels: one space per width (0.5,1,2,...,64)",
       store(&G::widths, parse_numbers),
       [](const G& g) { return g.widths ? numbers(*g.widths) : Json(nullptr); }},
      {"space", "features", "--features", "D", "kernels: random frequencies, 2D features (100)",
       store(&G::features, features), [](const G& g) { return optional(g.features); }},
      {"space", "radius", "--radius", "U",
       "kernels: radius of the set of models (inf; theory, constant: 1)",
       store(&G::radius, parse_number_or_infinity),
       [](const G& g) { return g.radius ? number(*g.radius) : Json(nullptr); }},
      {"space", "constraint", "--constraint", "ball|box", "|w| <= U or |w_k| <= U/sqrt(d) (ball)",
       store(&G::constraint, one_of(report::kConstraints)),
       [](const G& g) { return optional_word(report::kConstraints, g.constraint); }},
      {"space", "independent_base", "--independent-base", "",
       "kernels: random features of its own for every width",
       store(&G::independent_base, parse_switch),
       [](const G& g) {
         return Space{.kind = g.kind}.is_kernel() ? Json(g.independent_base) : Json(nullptr);
       }},
      {"space", "intercept", "--intercept", "", "linear: one more feature, always 1",
       store(&G::intercept, parse_switch),
       [](const G& g) { return g.kind == SpaceKind::linear ? Json(g.intercept) : Json(nullptr); }},
      {"space", "columns", "--expert-columns", "A..B",
       "experts: columns of the file that hold their predictions",
       store(&G::columns, parse_columns),
       [](const G& g) {
         return g.columns ? Json(std::to_string(g.columns->first) + ".." +
                                 std::to_string(g.columns->second))
                          : Json(nullptr);
       }},
  };
}

}  // namespace

const std::vector<Setting<RunConfig>>& run_settings() {
  static const auto settings = make_run_settings();
  return settings;
}

const std::vector<Setting<SpaceGroup>>& space_settings() {
  static const auto settings = make_space_settings();
  return settings;
}

}  // namespace caucus::cli
