#include "options/settings.hpp"

#include <algorithm>
#include <cctype>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/engine/participant/retained_reports.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/client_name.hpp"
#include "options/setting_rows.hpp"

namespace caucus::cli {
namespace {

constexpr std::uint64_t kMostOfAny = 1'000'000'000;
constexpr auto parse_some = parse_within<std::size_t, 1, kMostOfAny>;
constexpr auto parse_any = parse_within<std::size_t, 0, kMostOfAny>;

/// Reads a number, or the word auto, which lets the program choose.
Result<std::optional<double>> number_or_auto(const std::string& value) {
  if (value == "auto") return std::optional<double>{};
  CAUCUS_TRY(const double parsed, parse_number(value));
  return std::optional<double>(parsed);
}

Result<double> parse_positive(const std::string& value) {
  CAUCUS_TRY(const double number, parse_number(value));
  if (number > 0.0) return number;
  return not_valid(value, "expected a positive number");
}

Result<std::string> parse_place(const std::string& value) {
  CAUCUS_CHECK(parse_address(value, ""));
  return value;
}

/// Reads the word "batch", or the number of batches per commit.
Result<std::size_t> parse_durability(const std::string& value) {
  constexpr std::size_t kMost = RetainedReports::kMostInGroup;
  if (value == "batch") return std::size_t{1};
  auto batches = parse_some(value);
  if (batches.ok() && *batches <= kMost) return batches;
  return usage_error("", "'" + value + "'",
                     "expected \"batch\" or at most " + std::to_string(kMost) +
                         " batches, which clients can repeat");
}

Result<std::vector<std::string>> parse_names(const std::string& value) {
  auto names = split(value, ',');
  for (const std::string& name : names) CAUCUS_CHECK(check_client_name(name, ""));
  return names;
}

Result<std::vector<std::string>> parse_words(const std::string& value) {
  auto names = split(value, ',');
  for (const std::string& name : names) CAUCUS_CHECK(parse(As<std::string>(), name));
  return names;
}

/// Returns a reader of a number of at least 1, or of a word that stands for 0.
auto count_or(const char* word) {
  return [word](const std::string& value) -> Result<std::size_t> {
    if (value == word) return std::size_t{0};
    const auto count = parse_some(value);
    if (count.ok()) return *count;
    return not_valid(value, std::string("expected a number of at least 1, or ") + word);
  };
}
auto count_json(std::optional<std::size_t> RunConfig::*member, const char* word) {
  return [member, word](const RunConfig& config) -> Json {
    const auto& value = config.*member;
    if (!value) return nullptr;
    return *value == 0 ? Json(word) : json_of(*value);
  };
}

/// Returns a writer of a bound, which is not printed under an adaptive schedule.
auto bound_json(std::optional<double> RunConfig::*member) {
  return [member](const RunConfig& config) -> Json {
    if (is_adaptive(config.schedule)) return nullptr;
    return config.*member ? Json(*(config.*member)) : Json("auto");
  };
}

/// Replaces the name of a field by the place where its setting was given. A default has the place
/// where it could be given: a flag, or in a served run a key of the file.
template <class Target>
bool locate(Error& error, const std::vector<Setting<Target>>& settings, const Places& places,
            bool by_flag) {
  for (const auto& setting : settings) {
    if (setting.field != error.where) continue;
    const auto place = places.find(setting.field);
    error.where = place != places.end()              ? place->second
                  : by_flag && !setting.flag.empty() ? setting.flag
                                                     : setting.table + "." + setting.key;
    return true;
  }
  return false;
}

/// Adds the names of algorithms, which are not those of an enumeration.
std::vector<Setting<RunConfig>> with_algorithms(std::vector<Setting<RunConfig>> settings) {
  for (auto& setting : settings) {
    if (setting.flag == "--algorithm") setting.values = algorithm_names();
  }
  return settings;
}

}  // namespace

std::vector<std::string> words_of_value_name(const std::string& value_name) {
  std::vector<std::string> words;
  if (value_name.find('|') == std::string::npos) return words;
  for (const std::string& part : split(value_name, '|')) {
    const auto end = std::find_if(part.begin(), part.end(),
                                  [](unsigned char c) { return std::isupper(c) != 0; });
    const std::string word(part.begin(), end);
    if (word.find_first_not_of("-.0123456789") != std::string::npos) words.push_back(word);
  }
  return words;
}

std::vector<std::string> values_of_flag(const std::string& flag) {
  const auto find = [&](const auto& settings) -> std::vector<std::string> {
    for (const auto& setting : settings) {
      if (setting.flag == flag) return setting.values;
    }
    return {};
  };
  for (auto values : {find(run_settings()), find(space_settings()), find(server_settings())}) {
    if (!values.empty()) return values;
  }
  return {};
}

const std::vector<Setting<RunConfig>>& run_settings() {
  using C = RunConfig;
  static const auto settings = with_algorithms(joined<C>(
      {{"data",
        {{"file --data", "FILE|-",
          "CSV, CSV.gz, LIBSVM or ARFF with all clients' rows; - for standard input", &C::file},
         {"clients_from", "DIR",
          "one file per client, in the order of their names; rows keep their order",
          &C::clients_from},
         {"target", "last|first|N|NAME", "target column, counted from 1", &C::target},
         {"feature_range", "A,B", "min-max scale the features to [A, B] (of a run: -1,1)",
          &C::feature_range},
         {"label_range", "A,B",
          "min-max scale the target to [A, B] (of a run: 0,1, unless it is a class)",
          &C::label_range},
         {"classes", "NAME,...",
          "the target is one of these classes, whose names or numbers must be known in a "
          "federation",
          &C::classes, parse_words,
          [](const C& c) { return c.classes.empty() ? Json(nullptr) : Json(c.classes); }},
         {"scale_from ranges", "FILE", "take minimum and maximum from this data or ranges file",
          &C::scale_from},
         {"scale --no-scale", "", "use features and target in their units", &C::scale,
          parse_switch},
         {"drop", "A,B,...", "leave these columns out", &C::drop, parse_words},
         {"categories", "A,B=X|Y,...",
          "the values of these columns are names, also numbers; A=X|Y lists the levels",
          &C::categories, parse_words},
         {"numbers", "A,B,...", "other words in these columns are missing values", &C::numbers,
          parse_words},
         {"missing", "A,B,...",
          "with --scale-from: columns with another one that says where they lack a value",
          &C::missing, parse_words},
         {"time", "A", "column of dates or times, by which the rows are sorted", &C::time},
         {"lags", "N", "past targets and numbers of the same client as further features (0)",
          &C::lags, parse_within<std::size_t, 0, 1000>},
         {"impute", "mean|none|drop",
          "missing values: the mean and a column that says so, an error, or no such row (mean)",
          &C::impute},
         {"hash_columns", "N",
          "columns for the levels of a category beyond 32, or of a list without levels (16)",
          &C::hash_columns, parse_within<std::size_t, 1, 100'000>}}},
       {"federation",
        {{"clients", "M", "number of clients (10)", &C::clients},
         {"partition", "shuffle|blocks|column:N|dirichlet:A",
          "how rows are dealt to clients (shuffle)", &C::partition},
         {"dropout", "F", "share of reports lost at random (0)", &C::dropout}}},
       {"algorithm",
        {{"name --algorithm algorithms", "NAME",
          "fomd-oms, nco-oms, em-kofl, vm-kofl, pm-kofl, pof-mkl, or with K = 1 ofskl, fed-omd, "
          "fedposgd; repeat it to compare on the same data, order and seeds",
          &C::algorithms, parse_words,
          [](const C& c) {
            return c.algorithms.size() == 1 ? Json(c.algorithms[0]) : Json(c.algorithms);
          }},
         {"sample sample_size", "J", "models a client holds per round (min(2, K))",
          &C::sample_size},
         {"rounds_per_upload", "N|growing", "rounds between uploads (adaptive: growing; else 1)",
          &C::rounds_per_upload, count_or("growing"), count_json(&C::rounds_per_upload, "growing")},
         {"growth", "X", "length of a growing batch, as a share of the rounds before it (0.3)",
          &C::growth},
         {"min_batch", "N|auto", "least length of a growing batch; auto hides examples (auto)",
          &C::min_batch, count_or("auto"), count_json(&C::min_batch, "auto")},
         {"personal --no-personal", "",
          "adaptive: predict without the correction that each client learns from its own rows",
          &C::personal, parse_switch},
         {"mode", "asynchronous|synchronous",
          "adaptive: whether clients wait for each other before they get new models (asynchronous)",
          &C::mode},
         {"robust", "none|clip|trim",
          "clip or trim reports that do not fit those of most clients (none)", &C::robust},
         {"loss", "LOSS",
          "square, absolute, huber[:delta], logistic, hinge, pinball[:tau], linear or "
          "classes[:number]",
          &C::loss}}},
       {"schedule",
        {{"kind --schedule schedule", "KIND",
          "adaptive, adaptive-first-order, theory or constant (adaptive)", &C::schedule},
         {"horizon", "rounds|examples", "T of the theory (rounds)", &C::horizon},
         {"feature_bound", "X|auto", "b_i >= |phi_i(x)| (auto)", &C::feature_bound, number_or_auto,
          bound_json(&C::feature_bound)},
         {"label_bound", "Y|auto", "Y >= |y| (auto)", &C::label_bound, number_or_auto,
          bound_json(&C::label_bound)},
         {"gradient_scale", "S", "G_i = S (U_i b_i + Y) b_i (2)", &C::gradient_scale},
         {"loss_bound", "C", "C_i of all spaces, in place of the formula", &C::loss_bound},
         {"eta", "X", "constant schedule: rate of the probabilities", &C::eta},
         {"lambda", "X", "constant schedule: step size of the models", &C::lambda},
         {"fixed_share", "A",
          "drifting data: share of p spread anew, and of the past forgotten, per round (0)",
          &C::fixed_share},
         {"weight_rate", "X", "baselines: eta_g or eta_j (1)", &C::weight_rate},
         {"model_rate", "X", "baselines: eta_l or eta (0.5)", &C::model_rate},
         {"regularization", "X", "baselines: lambda (1e-4)", &C::regularization},
         {"exploration", "X", "pof-mkl: xi; fedposgd: the scale of its exploration (1)",
          &C::exploration}}},
       {"run",
        {{"repeats", "R", "repetitions over seeds (1)", &C::repeats},
         {"seed", "S", "seed of all random numbers (1)", &C::seed},
         {"threads", "N",
          "threads for repetitions and, unless the schedule is adaptive, for thousands of clients "
          "(0: "
          "all cores)",
          &C::threads},
         {"regret", "", "exact regret against every space", &C::regret}}}}));
  return settings;
}

const std::vector<Setting<SpaceGroup>>& space_settings() {
  using G = SpaceGroup;
  static const auto settings = joined<G>(
      {{"space",
        {{"kind --spaces spaces", "KIND",
          "linear, gaussian, laplacian, cauchy or experts; repeatable, each followed by its "
          "options",
          &G::kind},
         {"radii", "FROM:TO:COUNT|A,B,...",
          "linear: one space per radius (inf; theory, constant: 1)", &G::radii},
         {"widths", "A,B,...", "kernels: one space per width (0.5,1,2,...,64)", &G::widths},
         {"features", "D", "kernels: random frequencies, 2D features (100)", &G::features,
          parse_within<std::uint32_t, 1, 1'000'000>},
         {"radius", "U", "kernels: radius of the set of models (inf; theory, constant: 1)",
          &G::radius, parse_number_or_infinity},
         {"constraint", "ball|box", "|w| <= U or |w_k| <= U/sqrt(d) (ball)", &G::constraint},
         {"independent_base", "", "kernels: separate random features for every width",
          &G::independent_base, parse_switch,
          [](const G& g) {
            return Space{.kind = g.kind}.is_kernel() ? Json(g.independent_base) : Json(nullptr);
          }},
         {"intercept", "", "adds a feature that is always 1 and, to kernels, x / sqrt(columns)",
          &G::intercept, parse_switch},
         {"columns --expert-columns expert_columns", "A..B|N,NAME,...",
          "experts: columns of the file that hold their predictions", &G::columns, parse_columns},
         {"names --expert-names expert_names", "NAME,...",
          "experts: their names in results (those of the columns)", &G::names, parse_words},
         {"command --expert-command expert_command", "COMMAND",
          "experts: a program that gets a row per line and answers with the predictions of those "
          "that are held",
          &G::command},
         {"timeout --expert-timeout expert_timeout", "SECONDS",
          "experts: how long the program may take for a row (60)", &G::timeout, parse_positive},
         {"as_features --experts-as-features experts_are_features", "",
          "experts: the columns that hold their predictions are features too", &G::as_features,
          parse_switch, [](const G& g) {
            return g.kind == SpaceKind::expert ? Json(g.as_features) : Json(nullptr);
          }}}}});
  return settings;
}

const std::vector<Setting<ServerConfig>>& server_settings() {
  using C = ServerConfig;
  static const auto settings = joined<C>(
      {{"server",
        {{"listen", "HOST:PORT", "where to listen (localhost:7070); port 0 lets the system choose",
          &C::listen, parse_place},
         {"store", "RUN.db",
          "the durable state; if it exists, its run continues (CONFIG.db in the current directory)",
          &C::store},
         {"clients", "NAME,...", "", &C::clients, parse_names},
         {"quorum", "Q", "", &C::quorum, parse_some},
         {"deadline_ms deadline", "MS", "", &C::deadline_ms, parse_some},
         {"durability commit_every", "batch|N", "", &C::durability, parse_durability,
          [](const C& c) { return c.durability == 1 ? Json("batch") : Json(c.durability); }},
         {"snapshot_every", "N", "", &C::snapshot_every, parse_some},
         {"label_delay", "N", "", &C::label_delay, parse_any},
         {"features", "N", "", &C::features, parse_some},
         {"max_abs_target", "Y", "", &C::max_abs_target, parse_positive},
         {"max_feature_norm", "X", "", &C::max_feature_norm, parse_positive},
         {"violations", "N", "", &C::violations, parse_some},
         {"linger_ms", "MS", "", &C::linger_ms, parse_any},
         {"tokens", "FILE", "", &C::tokens},
         {"tls.cert", "FILE", "", &C::cert},
         {"tls.key", "FILE", "", &C::key},
         {"tls.client_ca", "FILE", "", &C::client_ca},
         {"http", "HOST:PORT", "where GET /status, /metrics and /healthz answer", &C::http,
          parse_place}}}});
  return settings;
}

Error located(Error error, const RunConfig& config, const ServerConfig* server) {
  const bool served = server != nullptr;
  if (served && locate(error, server_settings(), server->places, false)) return error;
  if (locate(error, run_settings(), config.places, !served)) return error;
  locate(error, space_settings(), config.places, !served);
  return error;
}

}  // namespace caucus::cli
