#include "caucus/data/encoding/column_uses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

using Kind = Encoding::Kind;
using Role = Encoding::Role;
using Type = DeclaredColumn::Type;

/// The columns that the options name, by place.
struct NamedColumns {
  std::size_t target = 0;
  std::optional<std::size_t> client, time;
  std::vector<bool> drop, numbers, categories;
  std::vector<std::vector<std::string>> levels;
  std::vector<std::size_t> experts;  ///< their numbers, from 1; 0 for other columns
};

Status mark(const std::vector<std::string>& names, const TableHeader& header, const char* role,
            const std::string& file, std::vector<bool>& marks) {
  marks.assign(header.columns, false);
  for (const std::string& name : names) {
    CAUCUS_TRY(const std::size_t column, find_column(name, header, role, file));
    marks[column] = true;
  }
  return Done{};
}

Result<NamedColumns> named_columns(const TableProfile& table, const ReadOptions& options) {
  const CellHeader& header = table.head();
  const std::string& file = table.first_file();
  NamedColumns named;
  CAUCUS_TRY(named.target, find_column(options.target, header, "target", file));
  if (options.client_column) {
    CAUCUS_TRY(named.client, find_column(*options.client_column, header, "client", file));
  }
  if (!options.time.empty()) {
    CAUCUS_TRY(named.time, find_column(options.time, header, "time", file));
  }
  CAUCUS_CHECK(mark(options.drop, header, "such", file, named.drop));
  if (named.drop[named.target]) {
    return usage_error("drop", column_words(header, named.target) + " is the target",
                       "expected another --target, or not to drop it");
  }
  CAUCUS_CHECK(mark(options.numbers, header, "such", file, named.numbers));
  named.categories.assign(header.columns, false);
  named.levels.resize(header.columns);
  for (const std::string& text : options.categories) {
    ListedCategory category = parse_category(text);
    CAUCUS_TRY(const std::size_t column, find_column(category.name, header, "such", file));
    named.categories[column] = true;
    named.levels[column] = std::move(category.levels);
  }
  CAUCUS_TRY(const Scaling roles, assign_columns(options, header, file));
  for (std::size_t c = 0; c < header.columns; ++c) {
    named.experts.push_back(expert_number(roles, c));
  }
  return named;
}

class Decision {
 public:
  Decision(const TableProfile& table, const ReadOptions& options, const NamedColumns& named,
           std::size_t column)
      : table_(table),
        options_(options),
        named_(named),
        column_(column),
        profile_(table.columns()[column]),
        values_(table.rows() - profile_.missing) {
    const CellHeader& header = table.head();
    if (!header.names.empty()) encoding().name = header.names[column];
    if (!header.declared.empty()) declared_ = header.declared[column];
    if (column == named.target) {
      encoding().role = Role::target;
    } else if (column == named.client) {
      encoding().role = Role::client;
    } else if (named.experts[column] > 0) {
      encoding().expert = named.experts[column];
      if (!options.experts_are_features) encoding().role = Role::expert;
    }
  }

  ColumnUse decide() {
    if (named_.drop[column_] && encoding().role == Role::feature) {
      leave_out("as asked");
    } else if (named_.categories[column_]) {
      category();
    } else if (named_.numbers[column_]) {
      encoding().words_missing = true;
      number();
    } else if (column_ == named_.time && encoding().role == Role::feature) {
      time();
    } else if (values_ == 0) {
      no_values();
    } else {
      by_values();
    }
    if (encoding().role == Role::feature && !use_.problem && use_.left_out.empty()) {
      const bool among_numbers = encoding().kind != Kind::category && profile_.missing_numbers > 0;
      const bool words = encoding().words_missing && profile_.texts + profile_.not_finite > 0;
      encoding().indicator = profile_.missing > 0 || among_numbers || words;
      if (options_.impute != Impute::mean) encoding().indicator = false;
    }
    if (!use_.left_out.empty()) encoding().role = Role::ignored;
    return std::move(use_);
  }

 private:
  Encoding& encoding() { return use_.encoding; }
  void leave_out(std::string why) { use_.left_out = std::move(why); }
  [[nodiscard]] std::string words() const { return column_words(table_.head(), column_); }
  /// How the user can call the column in a flag.
  [[nodiscard]] std::string flag_name() const {
    const bool named =
        !use_.encoding.name.empty() && use_.encoding.name.find_first_of(",= ") == std::string::npos;
    return named ? use_.encoding.name : std::to_string(column_ + 1);
  }

  void by_values() {
    const std::size_t among_numbers = values_ - profile_.missing_numbers;
    if (declared_.type == Type::category) return category();
    if (declared_.type == Type::time) return time();
    const bool all_numbers = profile_.numbers == among_numbers && profile_.numbers > 0;
    if (all_numbers || declared_.type == Type::number) return number();
    if (profile_.not_finite > 0 && profile_.numbers + profile_.not_finite == among_numbers) {
      return number();
    }
    if (encoding().role == Role::target || encoding().role == Role::client) {
      return 2 * profile_.numbers > values_ ? mixture() : category();
    }
    if (encoding().expert > 0) return number();
    if (profile_.booleans == values_ && profile_.levels.size() > 1) {
      encoding().kind = Kind::boolean;
      encoding().fill = 0.0;
      return;
    }
    if (profile_.times == among_numbers && profile_.times > 0) return time();
    if (2 * profile_.numbers > values_ || 2 * profile_.times > values_) return mixture();
    text();
  }

  void no_values() {
    if (encoding().role == Role::feature) return leave_out("no values");
    use_.problem = data_error(
        table_.first_file() + ": " + words(), "has no values",
        encoding().role == Role::target ? "expected another --target" : "expected values");
  }

  void number() {
    encoding().fill = profile_.numbers > 0 ? profile_.mean : 0.0;
    if (encoding().words_missing) return;
    if (profile_.not_finite > 0) {
      const FoundValue& found = *profile_.first_not_finite;
      use_.problem = data_error(
          found.where + ": " + words(), in_quotes(found.text) + " is not a finite number",
          "expected a number, or --numbers " + flag_name() + " to take it as missing");
    } else if (profile_.texts > 0) {
      mixture();
    }
  }

  void mixture() {
    const bool times = profile_.times > profile_.numbers;
    const auto& found = times ? profile_.first_not_time : profile_.first_text;
    const std::size_t most = times ? profile_.times : profile_.numbers;
    use_.problem = data_error((found ? found->where : table_.first_file()) + ": " + words(),
                              "holds " + in_quotes(found ? found->text : "") + " among " +
                                  counted(most, times ? "time" : "number"),
                              "expected --numbers " + flag_name() +
                                  " to take words as missing, --categories " + flag_name() +
                                  " to take all as names, or --drop " + flag_name());
  }

  void time() {
    encoding().kind = Kind::time;
    const std::size_t among_numbers = values_ - profile_.missing_numbers;
    if (profile_.times < among_numbers || profile_.times == 0) {
      const auto& found = profile_.first_not_time;
      use_.problem =
          data_error((found ? found->where : table_.first_file()) + ": " + words(),
                     in_quotes(found ? found->text : "") + " is not a date or time",
                     "expected a form such as 2013-03-01 05:00, or --drop " + flag_name());
      return;
    }
    encoding().day_first = profile_.month_first < profile_.times;
    constexpr double kHalfAWeek = 3.5;
    constexpr double kSeason = 60.0;
    const double span = profile_.latest - profile_.earliest;
    if (profile_.clocks > 0) encoding().levels.emplace_back("hour");
    if (span >= kHalfAWeek) encoding().levels.emplace_back("weekday");
    if (span >= kSeason) encoding().levels.emplace_back("yearday");
    if (span >= 1.0) encoding().levels.emplace_back("trend");
    if (encoding().levels.empty()) return leave_out("one time");
    encoding().fill = profile_.sum_of_times / static_cast<double>(profile_.times);
  }

  /// Texts are a category, unless they are all the same or nearly all different.
  void text() {
    constexpr std::size_t kFewest = 10;
    const std::size_t distinct = profile_.levels.size() + profile_.others;
    if (distinct == 1) return leave_out("one value");
    const bool identifies = 10 * distinct > 9 * values_ && distinct > kFewest;
    if (identifies || declared_.type == Type::text) {
      return leave_out(identifies ? "an identifier: nearly all values differ" : "text");
    }
    category();
  }

  void category() {
    encoding().kind = Kind::category;
    if (encoding().role != Role::feature) return all_levels();
    if (!named_.levels[column_].empty()) {
      encoding().levels = named_.levels[column_];
      return;
    }
    std::vector<std::pair<std::string, std::size_t>> found(profile_.levels.begin(),
                                                           profile_.levels.end());
    if (found.size() + profile_.others < 2 && profile_.missing == 0) return leave_out("one value");
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const bool many = found.size() + profile_.others > kMostLevelColumns;
    if (found.size() > kMostLevelColumns) found.resize(kMostLevelColumns);
    // One column tells two levels apart.
    if (found.size() == 2 && profile_.missing == 0) found.erase(found.begin());
    for (const auto& [level, count] : found) encoding().levels.push_back(level);
    std::sort(encoding().levels.begin(), encoding().levels.end());
    if (many) encoding().hashed = options_.hash_columns;
  }

  /// A target or a client column has a number for each level, in the declared or the sorted order.
  void all_levels() {
    encoding().levels = named_.levels[column_];
    if (!encoding().levels.empty()) return;
    if (declared_.type == Type::category) {
      encoding().levels = declared_.levels;
      return;
    }
    for (const auto& [level, count] : profile_.levels) encoding().levels.push_back(level);
    constexpr std::size_t kMostNames = 1000;
    const std::size_t distinct = profile_.levels.size() + profile_.others;
    const bool target = encoding().role == Role::target;
    const bool identifies = 2 * distinct > values_ && distinct > 2;
    if (profile_.others == 0 && !(target && (distinct > kMostNames || identifies))) return;
    use_.problem = data_error(
        table_.first_file() + ": " + words(), "has " + counted(distinct, "different text"),
        target ? "expected a --target with numbers or fewer classes" : "expected fewer clients");
  }

  const TableProfile& table_;
  const ReadOptions& options_;
  const NamedColumns& named_;
  std::size_t column_;
  const ColumnProfile& profile_;
  std::size_t values_;  ///< that are not missing
  DeclaredColumn declared_;
  ColumnUse use_;
};

bool is_dummy(const ColumnProfile& column) {
  return column.minimum == 0.0 && column.maximum == 1.0 && column.levels.size() == 2 &&
         column.texts + column.times == 0;
}

/// The last column is the target unless another is named; says so if that is hardly meant.
void doubt_target(const TableProfile& table, const ReadOptions& options, ColumnUse& use,
                  std::size_t target) {
  if (options.target != "last" || use.problem) return;
  const ColumnProfile& profile = table.columns()[target];
  const std::size_t distinct = profile.levels.size() + profile.others;
  const std::string words = column_words(table.head(), target);
  if (distinct <= 1 && table.rows() > 1) {
    const bool text = use.encoding.kind == Kind::category;
    if (text) {
      use.problem = data_error(table.first_file() + ": " + words, "has one value in all rows",
                               "expected another --target than this last column");
    } else {
      use.doubt = constant_target_words(words);
    }
    return;
  }
  std::size_t dummies = 0;
  while (dummies < target && is_dummy(table.columns()[target - dummies])) ++dummies;
  if (dummies > 1) {
    use.doubt = dummy_target_words(words, dummies - 1);
  }
}

}  // namespace

Result<std::vector<ColumnUse>> column_uses(const TableProfile& table, const ReadOptions& options) {
  CAUCUS_TRY(const NamedColumns named, named_columns(table, options));
  std::vector<ColumnUse> uses;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    uses.push_back(Decision(table, options, named, c).decide());
  }
  doubt_target(table, options, uses[named.target], named.target);
  return uses;
}

std::string constant_target_words(const std::string& column) {
  return column + " has one value in all rows; if it is not meant, give --target NAME";
}

std::string dummy_target_words(const std::string& column, std::size_t like_it) {
  return column + " has only the values 0 and 1, like " + counted(like_it, "column") +
         " before it; if it is not meant, give --target NAME";
}

std::string prediction_words(const std::vector<Encoding>& encodings, const TableHeader& header,
                             const std::string& target_values, std::size_t features) {
  constexpr std::array<const char*, 4> kKinds = {"number", "boolean", "category", "time"};
  std::array<std::size_t, 4> count{};
  std::size_t columns = 0;
  std::string text = "predicts ";
  for (std::size_t e = 0; e < encodings.size(); ++e) {
    if (encodings[e].role == Role::target) text += column_words(header, e);
    if (encodings[e].role != Role::feature) continue;
    ++count[static_cast<std::size_t>(encodings[e].kind)];
    ++columns;
  }
  text += " (" + target_values + ") from " + counted(columns, "column");
  std::string kinds;
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (count[k] == 0) continue;
    const bool categories = k == 2 && count[k] > 1;
    kinds += (kinds.empty() ? ": " : ", ") +
             (categories ? std::to_string(count[k]) + " categories" : counted(count[k], kKinds[k]));
  }
  text += kinds;
  if (features != columns) text += " (" + counted(features, "feature") + ")";
  return text;
}

}  // namespace caucus
