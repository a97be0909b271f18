#include "caucus/report/model_file.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "caucus/data/files/text_file.hpp"
#include "caucus/report/json.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

constexpr int kFormatVersion = 3;

/// Returns as a double the shortest decimal that reads back as this float, to keep files small.
double short_double(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  double number = 0.0;
  std::from_chars(buffer, end, number);
  return number;
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->first, interval->second}) : Json(nullptr);
}

/// Reads members of a JSON object and keeps the first error.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  const Json* member(const char* key) {
    if (!object_.is_object() || !object_.contains(key)) return fail(key, "is missing");
    return &object_.at(key);
  }
  double number(const char* key) {
    const Json* value = member(key);
    if (value != nullptr && value->is_string() && *value == "inf") return HUGE_VAL;
    if (value == nullptr || !value->is_number()) return fail(key, "is not a number"), 0.0;
    return value->get<double>();
  }
  std::uint64_t count(const char* key, std::uint64_t most) {
    const Json* value = member(key);
    if (value == nullptr || !value->is_number_unsigned() || value->get<std::uint64_t>() > most) {
      return fail(key, "is not a whole number in range"), 0;
    }
    return value->get<std::uint64_t>();
  }
  std::string text(const char* key) {
    const Json* value = member(key);
    if (value == nullptr || !value->is_string()) return fail(key, "is not a text"), "";
    return value->get<std::string>();
  }
  bool flag(const char* key) {
    const Json* value = member(key);
    if (value == nullptr || !value->is_boolean()) return fail(key, "is not true or false"), false;
    return value->get<bool>();
  }
  template <class Enum>
  Enum word(const char* key, const Words<Enum>& words) {
    const auto meaning = meaning_of(words, text(key));
    if (!meaning) fail(key, "is not a known word");
    return meaning.value_or(words.front().second);
  }
  std::vector<double> numbers(const char* key) {
    std::vector<double> list;
    const Json* value = member(key);
    if (value == nullptr || !value->is_array()) return fail(key, "is not a list"), list;
    for (const Json& element : *value) {
      if (!element.is_number() || !std::isfinite(element.get<double>())) {
        return fail(key, "holds something that is not a finite number"), list;
      }
      list.push_back(element.get<double>());
    }
    return list;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> list;
    const Json* value = member(key);
    if (value == nullptr || !value->is_array()) return fail(key, "is not a list"), list;
    for (const Json& element : *value) {
      if (!element.is_string()) return fail(key, "holds something that is not a text"), list;
      list.push_back(element.get<std::string>());
    }
    return list;
  }
  std::vector<std::size_t> columns(const char* key, std::size_t columns) {
    std::vector<std::size_t> list;
    for (const double value : numbers(key)) {
      if (!(value >= 0.0) || value >= static_cast<double>(columns) || value != std::floor(value)) {
        return fail(key, "names a column that does not exist"), list;
      }
      list.push_back(static_cast<std::size_t>(value));
    }
    return list;
  }
  std::optional<Interval> interval(const char* key) {
    const Json* value = member(key);
    if (value == nullptr || value->is_null()) return {};
    const auto ends = numbers(key);
    if (ends.size() != 2) return fail(key, "is not a pair"), std::nullopt;
    return Interval(ends[0], ends[1]);
  }

  std::nullptr_t fail(const std::string& key, const char* what) {
    if (!error) {
      error =
          data_error(where_ + ": " + key, what, "expected a model written by caucus --model-out");
    }
    return nullptr;
  }
  std::optional<Error> error;

 private:
  const Json& object_;
  std::string where_;
};

Json scaling_json(const Scaling& s) {
  Json json = {{"columns", s.columns},
               {"target_column", s.target_column},
               {"feature_columns", s.feature_columns},
               {"expert_columns", s.expert_columns},
               {"feature_range", interval_json(s.feature_range)},
               {"label_range", interval_json(s.label_range)},
               {"minimum", s.minimum},
               {"maximum", s.maximum}};
  json["client_column"] = s.client_column ? Json(*s.client_column) : Json(nullptr);
  return json;
}

Result<Scaling> parse_scaling(const Json& json, const std::string& where) {
  constexpr std::uint64_t kMostColumns = 100'000'000;
  Reader in(json, where);
  Scaling s;
  s.columns = in.count("columns", kMostColumns);
  s.target_column = in.count("target_column", kMostColumns);
  s.feature_columns = in.columns("feature_columns", s.columns);
  s.expert_columns = in.columns("expert_columns", s.columns);
  const Json* client = in.member("client_column");
  if (client != nullptr && !client->is_null()) {
    s.client_column = in.count("client_column", kMostColumns);
  }
  s.feature_range = in.interval("feature_range");
  s.label_range = in.interval("label_range");
  for (const auto* range : {&s.feature_range, &s.label_range}) {
    if (*range && !((*range)->first < (*range)->second &&
                    std::isfinite((*range)->second - (*range)->first))) {
      in.fail("range", "is not an interval A < B");
    }
  }
  s.minimum = in.numbers("minimum");
  s.maximum = in.numbers("maximum");
  if (s.target_column >= s.columns) in.fail("target_column", "does not exist");
  std::set<std::size_t> used = {s.target_column};
  for (const auto* columns : {&s.feature_columns, &s.expert_columns}) {
    for (const std::size_t column : *columns) {
      if (!used.insert(column).second) in.fail("feature_columns", "name a column twice");
    }
  }
  if (s.client_column && *s.client_column >= s.columns) in.fail("client_column", "does not exist");
  if (s.minimum.size() != s.columns || s.maximum.size() != s.columns) {
    in.fail("minimum", "and maximum do not cover the columns");
  } else {
    for (std::size_t c = 0; c < s.columns; ++c) {
      if (s.minimum[c] > s.maximum[c]) in.fail("minimum", "exceeds the maximum");
    }
  }
  if (in.error) return std::move(*in.error);
  return s;
}

Json space_json(const Space& space, double probability, const std::vector<float>& weights) {
  Json json = {{"name", space.name()},
               {"kind", word_of(kSpaceKinds, space.kind)},
               {"radius", std::isinf(space.radius) ? Json("inf") : Json(space.radius)},
               {"constraint", word_of(kConstraints, space.constraint)},
               {"intercept", space.intercept},
               {"width", space.width},
               {"features", space.features},
               {"independent_base", space.independent_base},
               {"expert", space.expert},
               {"probability", probability}};
  Json list = Json::array();
  for (const float weight : weights) list.push_back(short_double(weight));
  json["weights"] = std::move(list);
  return json;
}

Status parse_space(const Json& json, const std::string& where, const Scaling& scaling,
                   StoredModel& model) {
  Reader in(json, where);
  Space space;
  space.kind = in.word("kind", kSpaceKinds);
  space.radius = in.number("radius");
  space.constraint = in.word("constraint", kConstraints);
  space.intercept = in.flag("intercept");
  space.width = in.number("width");
  space.features = static_cast<std::uint32_t>(in.count("features", 1'000'000));
  space.independent_base = in.flag("independent_base");
  space.expert = static_cast<std::uint32_t>(in.count("expert", 100'000'000));
  model.learned.probabilities.push_back(in.number("probability"));
  std::vector<float>& weights = model.learned.weights.emplace_back();
  for (const double weight : in.numbers("weights")) {
    if (std::abs(weight) > static_cast<double>(std::numeric_limits<float>::max())) {
      in.fail("weights", "hold a number that is no float");
      break;
    }
    weights.push_back(static_cast<float>(weight));
  }
  std::size_t dimension = 0;
  if (space.kind == SpaceKind::linear) {
    dimension = scaling.feature_columns.size() + (space.intercept ? 1 : 0);
  } else if (space.is_kernel()) {
    dimension = 2 * static_cast<std::size_t>(space.features);
  }
  if (weights.size() != dimension) in.fail("weights", "are not as many as the space has");
  const double p = model.learned.probabilities.back();
  if (!(p >= 0.0 && p <= 1.0)) in.fail("probability", "is not between 0 and 1");
  if (in.error) return std::move(*in.error);
  model.spaces.push_back(space);
  return Done{};
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
               {"held", model.held},
               {"feature_names", model.feature_names},
               {"scaling", scaling_json(model.scaling)}};
  json["spaces"] = Json::array();
  for (std::size_t i = 0; i < model.spaces.size(); ++i) {
    json["spaces"].push_back(
        space_json(model.spaces[i], model.learned.probabilities[i], model.learned.weights[i]));
  }
  return json;
}

Result<StoredModel> parse_model(const std::string& text, const std::string& name) {
  constexpr const char* kExpected = "expected a model written by caucus run --model-out";
  CAUCUS_TRY(const Json json, parse_json(text, name, kExpected));
  if (!json.is_object()) return data_error(name, "is not a JSON object", kExpected);
  Reader in(json, name);
  StoredModel model;
  if (in.text("format") != "caucus-model") in.fail("format", "is not caucus-model");
  if (in.count("format_version", 1'000'000) != kFormatVersion) {
    in.fail("format_version", "is not 3, the one this program knows");
  }
  model.algorithm = in.text("algorithm");
  auto loss = parse_loss(in.text("loss"));
  if (loss.ok()) {
    model.loss = *loss;
  } else {
    in.fail("loss", "is not known");
  }
  model.labels = in.word("labels", kLabels);
  model.seed = in.count("seed", ~std::uint64_t{0});
  model.repetition = static_cast<std::uint32_t>(in.count("repetition", 0xFFFFFF));
  model.held = in.count("held", 0xFFFFFF);
  model.feature_names = in.texts("feature_names");
  const Json* scaling = in.member("scaling");
  const Json* spaces = in.member("spaces");
  if (spaces != nullptr && !spaces->is_array()) in.fail("spaces", "is not a list");
  if (in.error) return std::move(*in.error);
  CAUCUS_TRY(model.scaling, parse_scaling(*scaling, name + ": scaling"));
  if (!model.feature_names.empty() &&
      model.feature_names.size() != model.scaling.feature_columns.size()) {
    in.fail("feature_names", "are not as many as the features");
    return std::move(*in.error);
  }
  for (std::size_t i = 0; i < spaces->size(); ++i) {
    CAUCUS_CHECK(
        parse_space((*spaces)[i], name + ": space " + std::to_string(i + 1), model.scaling, model));
  }
  const auto& p = model.learned.probabilities;
  if (std::abs(std::accumulate(p.begin(), p.end(), 0.0) - 1.0) > 1e-6) {
    return data_error(name, "the probabilities do not sum to 1",
                      "expected a model written by caucus --model-out");
  }
  return model;
}

Result<StoredModel> read_model(const std::string& path) {
  constexpr std::size_t kMost = 1U << 30U;
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::data, kMost));
  return parse_model(text, path);
}

}  // namespace caucus::report
