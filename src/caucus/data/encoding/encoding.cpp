#include "caucus/data/encoding/encoding.hpp"

#include <algorithm>
#include <limits>

#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

using Kind = Encoding::Kind;
using Role = Encoding::Role;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_lags(const Encoding& encoding) {
  return encoding.role == Role::target ||
         (encoding.role == Role::feature && encoding.kind == Kind::number);
}

void add_columns(const std::vector<Encoding>& encodings, std::size_t source,
                 std::vector<EncodedColumn>& columns) {
  const Encoding& encoding = encodings[source];
  const std::string name = encoding.name.empty() ? std::to_string(source + 1) : encoding.name;
  const auto add = [&](const std::string& called, std::optional<Interval> range) {
    columns.push_back({source, called, range});
  };
  constexpr Interval kUnit{0.0, 1.0};
  if (encoding.role != Role::feature) {
    const bool coded = encoding.kind == Kind::category && !encoding.levels.empty();
    const auto last = static_cast<double>(encoding.levels.size()) - 1.0;
    add(name, coded ? std::optional(Interval{0.0, last}) : std::nullopt);
    return;
  }
  if (encoding.kind == Kind::number) add(name, {});
  if (encoding.kind == Kind::boolean) add(name, kUnit);
  if (encoding.kind == Kind::category) {
    for (const std::string& level : encoding.levels) add(name + "=" + level, kUnit);
    for (std::size_t k = 0; k < encoding.hashed; ++k) {
      add(name + "#" + std::to_string(k + 1), kUnit);
    }
  }
  if (encoding.kind == Kind::time) {
    for (const std::string& part : encoding.levels) {
      const std::string called = name + " " + part;
      if (part == "trend") {
        add(called, {});
        continue;
      }
      add(called + " sine", Interval{-1.0, 1.0});
      add(called + " cosine", Interval{-1.0, 1.0});
    }
  }
  if (encoding.indicator) add(name + " missing", kUnit);
}

/// Whether a word calls a column by its place or by a name that the table has.
bool is_place(const std::string& word, const TableHeader& header) {
  return find_column(word, header, "target", "").ok();
}

/// Returns the range of a column in a list of ranges with or without names.
std::optional<Interval> range_in(const Ranges& ranges, const Encoding& encoding,
                                 std::size_t place) {
  if (!ranges.names.empty()) {
    const auto found = std::find(ranges.names.begin(), ranges.names.end(), encoding.name);
    if (found == ranges.names.end()) return {};
    place = static_cast<std::size_t>(found - ranges.names.begin());
  }
  if (place >= ranges.columns()) return {};
  return Interval{ranges.minimum[place], ranges.maximum[place]};
}

}  // namespace

std::size_t expert_number(const Scaling& scaling, std::size_t column) {
  const auto& experts = scaling.expert_columns;
  const auto found = std::find(experts.begin(), experts.end(), column);
  return found == experts.end() ? 0 : static_cast<std::size_t>(found - experts.begin()) + 1;
}

std::vector<std::size_t> lagged_encodings(const std::vector<Encoding>& encodings) {
  std::vector<std::size_t> lagged;
  for (std::size_t e = 0; e < encodings.size(); ++e) {
    if (has_lags(encodings[e])) lagged.push_back(e);
  }
  return lagged;
}

std::vector<EncodedColumn> encoded_columns(const std::vector<Encoding>& encodings,
                                           std::size_t lags) {
  std::vector<EncodedColumn> columns;
  for (std::size_t e = 0; e < encodings.size(); ++e) {
    if (encodings[e].role != Role::ignored) add_columns(encodings, e, columns);
  }
  if (lags == 0) return columns;
  const auto lagged = lagged_encodings(encodings);
  for (std::size_t lag = 1; lag <= lags; ++lag) {
    for (const std::size_t e : lagged) {
      const std::string name =
          encodings[e].name.empty() ? std::to_string(e + 1) : encodings[e].name;
      columns.push_back({e, name + "[-" + std::to_string(lag) + "]", {}});
    }
  }
  return columns;
}

Result<Scaling> encoded_scaling(const std::vector<Encoding>& encodings, std::size_t lags,
                                const std::optional<Ranges>& ranges) {
  const auto columns = encoded_columns(encodings, lags);
  Scaling scaling;
  scaling.columns = columns.size();
  scaling.minimum.assign(columns.size(), kInfinity);
  scaling.maximum.assign(columns.size(), -kInfinity);
  std::size_t own = columns.size();
  if (lags > 0) own -= lags * lagged_encodings(encodings).size();
  bool has_target = false;
  std::vector<std::pair<std::size_t, std::size_t>> experts;  // their numbers and columns
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Encoding& from = encodings[columns[k].source];
    const Role role = k < own ? from.role : Role::feature;
    if (role == Role::feature) scaling.feature_columns.push_back(k);
    const bool first = k == 0 || columns[k - 1].source != columns[k].source;
    if (k < own && first && from.expert > 0) experts.emplace_back(from.expert, k);
    if (role == Role::client) scaling.client_column = k;
    if (role == Role::target) {
      scaling.target_column = k;
      has_target = true;
    }
    std::optional<Interval> range = columns[k].range;
    if (!range && ranges && role != Role::client) {
      range = range_in(*ranges, from, columns[k].source);
      if (!range) {
        return usage_error(
            "ranges",
            "there is no range of " + (from.name.empty()
                                           ? "column " + std::to_string(columns[k].source + 1)
                                           : "the column " + in_quotes(from.name)),
            "expected the minimum and maximum of every column of numbers");
      }
    }
    if (range) {
      scaling.minimum[k] = range->first;
      scaling.maximum[k] = range->second;
    } else if (role == Role::client && ranges) {
      scaling.minimum[k] = scaling.maximum[k] = 0.0;  // it is not scaled
    }
  }
  std::sort(experts.begin(), experts.end());
  for (const auto& [number, column] : experts) scaling.expert_columns.push_back(column);
  if (!has_target) return usage_error("target", "there is none", "expected a target column");
  if (scaling.feature_columns.empty() && scaling.expert_columns.empty()) {
    return usage_error("columns", "none is left for a feature",
                       "expected at least one feature beside the target");
  }
  return scaling;
}

std::vector<std::string> encoded_feature_names(const std::vector<Encoding>& encodings,
                                               std::size_t lags) {
  std::vector<std::string> names;
  const auto columns = encoded_columns(encodings, lags);
  std::size_t own = columns.size();
  if (lags > 0) own -= lags * lagged_encodings(encodings).size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k >= own || encodings[columns[k].source].role == Role::feature) {
      names.push_back(columns[k].name);
    }
  }
  return names;
}

bool has_classes(const std::vector<Encoding>& encodings) {
  return std::any_of(encodings.begin(), encodings.end(), [](const Encoding& one) {
    return one.role == Role::target && one.kind == Kind::category;
  });
}

bool states_encodings(const ReadOptions& options) {
  return options.ranges.has_value() &&
         (!options.ranges->names.empty() || !options.categories.empty() || !options.time.empty() ||
          !options.drop.empty() || options.lags > 0 || !options.missing.empty());
}

Result<std::vector<Encoding>> stated_encodings(const ReadOptions& options) {
  const Ranges& ranges = *options.ranges;
  if (ranges.names.empty()) {
    return usage_error("ranges", "its columns have no names, but other columns are listed",
                       "expected ranges with the names of the columns");
  }
  TableHeader all{ranges.names, ranges.columns()};
  const TableHeader measured = all;
  std::vector<ListedCategory> categories;
  const auto add_name = [&](const std::string& name) {
    if (std::find(all.names.begin(), all.names.end(), name) != all.names.end()) return;
    all.names.push_back(name);
    ++all.columns;
  };
  for (const std::string& text : options.categories) {
    categories.push_back(parse_category(text));
    add_name(categories.back().name);
  }
  if (!options.time.empty()) add_name(options.time);
  if (!options.classes.empty() && !is_place(options.target, measured)) {
    categories.push_back({options.target, options.classes});
    add_name(options.target);
  }
  const std::string client = options.client_column.value_or("");
  if (!client.empty()) add_name(client);

  // last, first and numbers count the columns with ranges.
  const bool named =
      std::find(all.names.begin(), all.names.end(), options.target) != all.names.end();
  CAUCUS_TRY(const std::size_t target,
             find_column(options.target, named ? all : measured, "target", "ranges"));
  ReadOptions roles = options;
  roles.target = std::to_string(target + 1);
  roles.client_column.reset();
  CAUCUS_TRY(const Scaling assigned, assign_columns(roles, all, "ranges"));
  std::vector<Encoding> encodings;
  for (std::size_t c = 0; c < all.columns; ++c) {
    Encoding encoding{.name = all.names[c]};
    encoding.expert = expert_number(assigned, c);
    if (c == target) {
      encoding.role = Role::target;
    } else if (encoding.expert > 0 && !options.experts_are_features) {
      encoding.role = Role::expert;
    } else if (all.names[c] == client) {
      encoding.role = Role::client;
    }
    const auto listed = std::find_if(categories.begin(), categories.end(),
                                     [&](const auto& one) { return one.name == all.names[c]; });
    if (listed != categories.end()) {
      encoding.kind = Kind::category;
      encoding.levels = listed->levels;
      if (encoding.levels.empty()) encoding.hashed = options.hash_columns;
      if (encoding.role == Role::target && encoding.levels.empty()) {
        return usage_error("categories", "the target " + in_quotes(all.names[c]) + " has no levels",
                           "expected " + all.names[c] + "=LEVEL|LEVEL");
      }
    } else if (all.names[c] == options.time) {
      encoding.kind = Kind::time;
      encoding.levels = {"hour", "weekday", "yearday"};
      if (c < ranges.columns()) encoding.levels.emplace_back("trend");
    } else if (encoding.role != Role::client) {
      encoding.fill = ranges.minimum[c] / 2 + ranges.maximum[c] / 2;
    }
    const auto lists = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), all.names[c]) != names.end();
    };
    encoding.indicator = lists(options.missing);
    encoding.words_missing = lists(options.numbers);
    if (lists(options.drop)) encoding.role = Role::ignored;
    encodings.push_back(std::move(encoding));
  }
  return encodings;
}

std::vector<Encoding> plain_encodings(const Scaling& scaling, const TableHeader& header) {
  std::vector<Encoding> encodings(header.columns);
  for (std::size_t c = 0; c < header.columns; ++c) {
    if (!header.names.empty()) encodings[c].name = header.names[c];
    encodings[c].role = Role::ignored;
  }
  if (scaling.client_column) encodings[*scaling.client_column].role = Role::client;
  for (const std::size_t c : scaling.feature_columns) encodings[c].role = Role::feature;
  for (const std::size_t c : scaling.expert_columns) {
    if (encodings[c].role == Role::ignored) encodings[c].role = Role::expert;
    encodings[c].expert = expert_number(scaling, c);
  }
  encodings[scaling.target_column].role = Role::target;
  return encodings;
}

ListedCategory parse_category(const std::string& text) {
  const std::size_t equals = text.find('=');
  ListedCategory category{text.substr(0, equals), {}};
  if (equals == std::string::npos) return category;
  for (std::size_t at = equals + 1;;) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    category.levels.push_back(text.substr(at, end - at));
    if (end == text.size()) break;
    at = end + 1;
  }
  return category;
}

std::string column_words(const TableHeader& header, std::size_t column) {
  std::string number = "column " + std::to_string(column + 1);
  if (header.names.empty() || header.names[column] == std::to_string(column + 1)) return number;
  return number + " " + in_quotes(header.names[column]);
}

}  // namespace caucus
