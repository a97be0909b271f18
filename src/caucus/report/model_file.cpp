#include "caucus/report/model_file.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

constexpr int kFormatVersion = 3;
constexpr const char* kExpected = "expected a model written by caucus";
constexpr std::uint64_t kMostColumns = 100'000'000;

/// Returns as a double the shortest decimal that reads back as this float, to keep files small.
double short_double(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  double number = 0.0;
  std::from_chars(buffer, end, number);
  return number;
}

std::uint64_t read_count(JsonReader& in, const char* key, std::uint64_t most) {
  const Json* value = in.member(key);
  if (value != nullptr && value->is_number_unsigned() && value->get<std::uint64_t>() <= most) {
    return value->get<std::uint64_t>();
  }
  in.fail(key, "is not a whole number in range");
  return 0;
}

std::optional<Interval> read_interval(JsonReader& in, const char* key) {
  if (in.member(key) == nullptr) return {};
  const auto ends = in.numbers(key);
  if (ends.size() == 2 && ends[0] < ends[1] && std::isfinite(ends[1] - ends[0])) {
    return Interval(ends[0], ends[1]);
  }
  in.fail(key, "is not an interval A < B");
  return {};
}

Json scaling_json(const Scaling& s) {
  return {{"columns", s.columns},
          {"target_column", s.target_column},
          {"feature_columns", s.feature_columns},
          {"expert_columns", s.expert_columns},
          {"feature_range", or_null(s.feature_range)},
          {"label_range", or_null(s.label_range)},
          {"minimum", s.minimum},
          {"maximum", s.maximum},
          {"client_column", or_null(s.client_column)}};
}

Json encoding_json(const Encoding& encoding) {
  return {{"name", encoding.name},
          {"role", word_of(kRoles, encoding.role)},
          {"kind", word_of(kEncodings, encoding.kind)},
          {"expert", encoding.expert},
          {"levels", encoding.levels},
          {"hashed", encoding.hashed},
          {"day_first", encoding.day_first},
          {"indicator", encoding.indicator},
          {"fill", encoding.fill},
          {"words_missing", encoding.words_missing}};
}

Encoding read_encoding(JsonReader in) {
  Encoding encoding;
  encoding.name = in.text("name");
  encoding.role = read_word(in, "role", kRoles);
  encoding.kind = read_word(in, "kind", kEncodings);
  encoding.expert = read_count(in, "expert", kMostColumns);
  encoding.levels = in.texts("levels");
  encoding.hashed = read_count(in, "hashed", 100'000);
  encoding.day_first = in.flag("day_first");
  encoding.indicator = in.flag("indicator");
  encoding.fill = in.number("fill");
  encoding.words_missing = in.flag("words_missing");
  return encoding;
}

/// Checks that the encodings make the columns that are scaled.
void check_encodings(JsonReader& in, const StoredModel& model) {
  if (model.encodings.empty() || in.failed()) return;
  const auto made = encoded_scaling(model.encodings, model.lags, {});
  const Scaling& s = model.scaling;
  const bool same =
      made.ok() && made->columns == s.columns && made->target_column == s.target_column &&
      made->feature_columns == s.feature_columns && made->expert_columns == s.expert_columns;
  if (!same) in.fail("encodings", "do not make the columns that are scaled");
}

Scaling read_scaling(JsonReader in) {
  Scaling s;
  s.columns = read_count(in, "columns", kMostColumns);
  std::set<std::size_t> used;
  const auto existing = [&](const char* key, double column) {
    const bool exists = column >= 0.0 && column < static_cast<double>(s.columns);
    if (!exists || column != std::floor(column)) return in.fail(key, "does not exist"), 0UL;
    return static_cast<std::size_t>(column);
  };
  const auto role = [&](const char* key, double column) {
    const std::size_t found = existing(key, column);
    if (!used.insert(found).second) in.fail(key, "names a column twice");
    return found;
  };
  s.target_column = role("target_column", in.number("target_column"));
  for (const double c : in.numbers("feature_columns")) {
    s.feature_columns.push_back(role("feature_columns", c));
  }
  for (const double c : in.numbers("expert_columns")) {
    s.expert_columns.push_back(role("expert_columns", c));
  }
  if (in.member("client_column") != nullptr) {
    s.client_column = existing("client_column", in.number("client_column"));
  }
  s.feature_range = read_interval(in, "feature_range");
  s.label_range = read_interval(in, "label_range");
  s.minimum = in.numbers("minimum");
  s.maximum = in.numbers("maximum");
  in.expect_size("minimum", s.minimum.size(), s.columns, false);
  in.expect_size("maximum", s.maximum.size(), s.columns, false);
  for (std::size_t c = 0; c < s.columns && !in.failed(); ++c) {
    if (s.minimum[c] > s.maximum[c]) in.fail("minimum", "exceeds the maximum");
  }
  return s;
}

std::vector<double> short_list(const std::vector<float>& values) {
  std::vector<double> list;
  list.reserve(values.size());
  for (const float value : values) list.push_back(short_double(value));
  return list;
}

/// Reads what short_list() made.
std::vector<float> read_floats(JsonReader& in, const char* key) {
  std::vector<float> values;
  for (const double value : in.numbers(key)) {
    if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
      in.fail(key, "has a number that is no float");
      break;
    }
    values.push_back(static_cast<float>(value));
  }
  return values;
}

ErrorBars read_error_bars(JsonReader in, std::size_t features) {
  ErrorBars bars{in.number("variance"), read_floats(in, "factor")};
  if (!(bars.variance >= 0.0)) in.fail("variance", "is negative");
  const std::size_t size = triangle_rows(bars.factor.size());
  if (bars.factor.size() != triangle_size(features)) {  // without an intercept
    in.expect_size("factor", bars.factor.size(), triangle_size(features + 1));
  }
  for (std::size_t k = 0; k < size && !in.failed(); ++k) {
    if (!(bars.factor[triangle_size(k + 1) - 1] > 0.0F)) in.fail("factor", "has a diagonal of 0");
  }
  return bars;
}

Json space_json(const Space& space, double probability, const std::vector<float>& weights) {
  return {{"name", space.name()},
          {"kind", word_of(kSpaceKinds, space.kind)},
          {"radius", std::isinf(space.radius) ? Json("inf") : Json(space.radius)},
          {"constraint", word_of(kConstraints, space.constraint)},
          {"intercept", space.intercept},
          {"width", space.width},
          {"features", space.features},
          {"independent_base", space.independent_base},
          {"expert", space.expert},
          {"title", space.title},
          {"probability", probability},
          {"weights", short_list(weights)}};
}

void read_space(JsonReader in, StoredModel& model) {
  Space space;
  space.kind = read_word(in, "kind", kSpaceKinds);
  const Json* radius = in.member("radius");
  space.radius = radius != nullptr && *radius == "inf" ? HUGE_VAL : in.number("radius");
  space.constraint = read_word(in, "constraint", kConstraints);
  space.intercept = in.flag("intercept");
  space.width = in.number("width");
  space.features = static_cast<std::uint32_t>(read_count(in, "features", 1'000'000));
  space.independent_base = in.flag("independent_base");
  space.expert = static_cast<std::uint32_t>(read_count(in, "expert", kMostColumns));
  if (in.member("title") != nullptr) space.title = in.text("title");  // older files have none
  const double p = in.number("probability");
  if (!(p >= 0.0 && p <= 1.0)) in.fail("probability", "is not between 0 and 1");
  const std::vector<float>& weights =
      model.learned.weights.emplace_back(read_floats(in, "weights"));
  std::size_t dimension = 0;
  if (space.kind == SpaceKind::linear) {
    dimension = model.scaling.feature_columns.size() + (space.intercept ? 1 : 0);
  } else if (space.is_kernel()) {
    const std::size_t leading = space.intercept ? model.scaling.feature_columns.size() + 1 : 0;
    dimension = leading + 2 * static_cast<std::size_t>(space.features);
  }
  in.expect_size("weights", weights.size(), model.loss.outputs() * dimension, false);
  model.learned.probabilities.push_back(p);
  model.spaces.push_back(space);
}

}  // namespace

Json model_json(const StoredModel& model) {
  Json json = {{"format", "caucus-model"},
               {"format_version", kFormatVersion},
               {"algorithm", model.algorithm},
               {"loss", model.loss.name()},
               {"labels", word_of(kLabels, model.labels)},
               {"seed", model.seed},
               {"repetition", model.repetition},
               {"held", model.sample_size},
               {"feature_names", model.feature_names},
               {"scaling", scaling_json(model.scaling)},
               {"lags", model.lags},
               {"encodings", Json::array()},
               {"clients", Json::array()},
               {"spaces", Json::array()}};
  for (const Encoding& one : model.encodings) json["encodings"].push_back(encoding_json(one));
  if (!model.run.empty()) json["run"] = model.run;
  if (model.loss.has_classes()) json["classes"] = model.class_names;
  for (const ClientScore& one : model.scores) {
    json["clients"].push_back({{"name", one.client}, {"examples", one.score.examples}});
    if (one.score.examples == 0) continue;
    json["clients"].back().update(Json{{"error", one.score.error},
                                       {"constant", one.score.constant},
                                       {"since", one.score.since},
                                       {"forgotten", one.forgotten}});
  }
  for (std::size_t i = 0; i < model.spaces.size(); ++i) {
    json["spaces"].push_back(
        space_json(model.spaces[i], model.learned.probabilities[i], model.learned.weights[i]));
  }
  if (const auto& bars = model.learned.error_bars) {
    json["error_bars"] = {{"variance", bars->variance}, {"factor", short_list(bars->factor)}};
  }
  return json;
}

Result<StoredModel> parse_model(const std::string& text, const std::string& name) {
  CAUCUS_TRY(const Json json, parse_json(text, name, kExpected));
  if (!json.is_object()) return data_error(name, "is not a JSON object", kExpected);
  std::optional<Error> error;
  JsonReader in(json, "", error, {kExpected, true});
  StoredModel model;
  if (in.text("format") != "caucus-model") in.fail("format", "is not caucus-model");
  if (read_count(in, "format_version", 1'000'000) != kFormatVersion) {
    in.fail("format_version", "is not 3, the one this program knows");
  }
  model.algorithm = in.text("algorithm");
  if (auto loss = parse_loss(in.text("loss")); loss.ok()) {
    model.loss = *loss;
  } else {
    in.fail("loss", "is not known");
  }
  model.labels = read_word(in, "labels", kLabels);
  model.seed = read_count(in, "seed", ~std::uint64_t{0});
  model.repetition = static_cast<std::uint32_t>(read_count(in, "repetition", 0xFFFFFF));
  model.sample_size = read_count(in, "held", 0xFFFFFF);
  model.feature_names = in.texts("feature_names");
  if (model.loss.has_classes()) {
    model.class_names = in.texts("classes");
    in.expect_size("classes", model.class_names.size(), model.loss.classes(), false);
    model.learned.classes = model.loss.classes();
  }
  if (json.contains("run")) model.run = in.text("run");
  model.scaling = read_scaling(in.object("scaling"));
  if (json.contains("lags")) model.lags = read_count(in, "lags", 1000);
  if (json.contains("encodings")) {
    in.for_each("encodings", [&](JsonReader one, std::size_t) {
      model.encodings.push_back(read_encoding(std::move(one)));
    });
  }
  check_encodings(in, model);
  in.expect_size("feature_names", model.feature_names.size(), model.scaling.feature_columns.size());
  in.for_each("spaces",
              [&](JsonReader space, std::size_t) { read_space(std::move(space), model); });
  if (json.contains("error_bars")) {
    model.learned.error_bars =
        read_error_bars(in.object("error_bars"), model.scaling.feature_columns.size());
  }
  const auto& p = model.learned.probabilities;
  if (std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1.0) > 1e-6) {
    in.fail("spaces", "have probabilities that do not sum to 1");
  }
  if (!error) return model;
  error->where = name + ": " + error->where;
  return std::move(*error);
}

Result<StoredModel> read_model(const std::string& path) {
  constexpr std::size_t kMost = 1U << 30U;
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::data, kMost));
  return parse_model(text, path);
}

}  // namespace caucus::report
