// caucus predict: predicts new data with what was learned.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/losses/classes.hpp"
#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/data/class_names.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/encoding/raw_table.hpp"
#include "caucus/data/table.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"
#include "experts/row_experts.hpp"
#include "joining/join_state.hpp"
#include "options/interrupt.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"
#include "options/progress_line.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kPredictExamples = R"(Examples:
  caucus run --data d.csv --model-out model.json
  caucus predict --model model.json --data new.csv > predictions.csv
  caucus export run.db -o model.json     # of a federation, in place of the first
  caucus predict --model model.json --data new.csv --interval 0.9
  caucus predict --model model.json --client-state c01.csv.c01.join --data new.csv

The data have the columns of the training file, in any order if they have names, with or without
the target; further columns do no harm. Missing values and unknown names are handled as in the run.
Predictions are in original units, sum_i p_i f_i(x); a logistic model also gives the probability of
class 1, and one of several classes that of each class.

--interval P adds the columns lower and upper, between which the target lies with about the
probability P, for models that the default schedule has learned with the square loss. Their width
comes from the errors on rows that the models had not seen, and from how far a row is from the
rows of the run. If the file has the target, the share of targets inside is printed.

--client-state predicts as this client of the federation would with these models: its personal
layer, which caucus join has kept, corrects every prediction. It needs the model of the same run,
from caucus export. Rows count in their order: if the file has the target, the layer learns each
row's after it has predicted the row, as in the run; without the target its last one remains that
of the client's last row in the run. The state file is not changed.)";

struct PredictCommand {
  std::string model, data, client_state, expert_command, out = "-";
  std::optional<double> interval;
};

Status check_interval(const PredictCommand& command, const report::StoredModel& model) {
  if (!command.interval) return Done{};
  if (!command.client_state.empty()) {
    return usage_error("--interval", "is known for the model, not for one client's personal layer",
                       "expected no --client-state");
  }
  if (model.learned.error_bars && !model.loss.has_classes()) return Done{};
  return data_error(command.model, "has no error bars",
                    "expected a model that the adaptive schedule has learned from sums with the "
                    "square loss, by this version or a later one");
}

/// Returns the personal layer in the state file of a client of the run that learned the model.
Result<PersonalLayer> read_personal(const std::string& path, const report::StoredModel& model) {
  constexpr const char* kExpected = "expected the state that caucus join kept of this model's run";
  CAUCUS_TRY(const auto state, JoinState::read(path));
  if (!state) return data_error(path, "there is no such file", kExpected);
  if (run_text(state->identity().run) != model.run) {
    return data_error(path,
                      "is of run " + run_text(state->identity().run) + ", the model of " +
                          (model.run.empty() ? "no served run" : "run " + model.run),
                      "expected a client's state and the model that caucus export took out of the "
                      "store of the same run");
  }
  if (state->personal().empty()) {
    return data_error(path, "has no personal layer",
                      "expected a client that has finished a batch, of a run with personal layers");
  }
  PersonalLayer layer(model.scaling.feature_columns.size(), model.loss);
  StateReader from(state->personal(), path);
  CAUCUS_CHECK(layer.restore(from));
  CAUCUS_CHECK(from.done());
  return layer;
}

/// Returns how the columns of the training data became numbers. Where only their places are known,
/// they were numbers.
std::vector<Encoding> encodings_of(const report::StoredModel& model) {
  if (!model.encodings.empty()) return model.encodings;
  return plain_encodings(model.scaling, {{}, model.scaling.columns});
}

/// Predicts row by row while the file is read.
class PredictingSink : public CellSink {
 public:
  PredictingSink(const report::StoredModel& model, const FeatureMaps& maps,
                 std::optional<PersonalLayer> personal, std::optional<double> interval,
                 std::string file)
      : model_(model),
        predictor_(maps, model.loss, model.learned),
        interval_(interval),
        deviations_(interval ? central_quantile(*interval) : 0.0),
        personal_(std::move(personal)),
        clips_(personal_ && model.scaling.minimum != model.scaling.maximum),
        file_(std::move(file)),
        encoder_(encodings_of(model), {model.lags, Impute::mean, true}) {
    const Scaling& s = model.scaling;
    x_.resize(s.feature_columns.size() + s.expert_columns.size());
    for (std::size_t c = 0; c < model.class_names.size(); ++c) {
      class_names_[model.class_names[c]] = c;
    }
  }

  /// Asks a program for the forecasts of experts that are not columns.
  void ask(ExpertProgram program) {
    asked_.resize(program.names.size());
    std::iota(asked_.begin(), asked_.end(), 0U);
    x_.resize(x_.size() + asked_.size());
    program_ = std::move(program);
  }

  Status header(const CellHeader& header) override {
    CAUCUS_CHECK(encoder_.begin(header, file_));
    if (!asked_.empty()) {
      CAUCUS_TRY(command_,
                 ExpertCommand::start(program_, header_text(header, encoder_.target_place())));
    }
    const bool logistic = std::holds_alternative<LogisticLoss>(model_.loss.kind());
    if (model_.loss.has_classes()) {
      text = "prediction";
      for (const std::string& name : model_.class_names) text += "," + class_field("p " + name);
      text += "\n";
      return Done{};
    }
    text = std::string("prediction") + (model_.loss.is_classification() ? ",score" : "") +
           (interval_ ? ",lower,upper" : "") + (logistic ? ",probability\n" : "\n");
    return Done{};
  }

  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    CAUCUS_CHECK(encoder_.encode(cells, line, values_));
    const Scaling& s = model_.scaling;
    const auto at = [&](std::size_t column) { return values_[column]; };
    const bool has_target = !std::isnan(at(s.target_column));
    std::size_t k = 0;
    for (const std::size_t column : s.feature_columns) {
      x_[k] = static_cast<float>(s.feature(k, clipped(column, at(column))));
      ++k;
    }
    for (const std::size_t column : s.expert_columns) {
      x_[k++] = model_.loss.has_classes()
                    ? named_class(at(column))
                    : static_cast<float>(s.target(clipped(column, at(column))));
    }
    if (model_.loss.has_classes()) {
      write_classes(has_target ? class_of(at(s.target_column)) : "");
      if (has_target) ++rows;
      return Done{};
    }
    if (command_) {
      CAUCUS_TRY(const auto forecasts,
                 command_->ask(asked_, row_text(cells, encoder_.target_place()),
                               file_ + ":" + std::to_string(line)));
      const bool classes = model_.loss.is_classification();
      for (const double forecast : forecasts) {
        const double scaled = s.target(clipped(s.target_column, forecast));
        x_[k++] = static_cast<float>(classes ? forecast : scaled);
      }
    }
    double score = predictor_(x_);
    if (personal_) {
      score = personal_->predict(std::span(x_).first(s.feature_columns.size()), score);
      if (has_target) {
        const double target = s.target(clipped(s.target_column, at(s.target_column)));
        personal_->observe(static_cast<double>(static_cast<float>(target)));
      }
    }
    if (has_target) count_target(at(s.target_column));
    if (model_.loss.is_classification()) {
      const double label = report::written_label(score, model_.labels);
      text += to_text(label) + "," + to_text(score);
      if (std::holds_alternative<LogisticLoss>(model_.loss.kind())) {
        text += "," + to_text(1.0 / (1.0 + std::exp(-score)));
      }
      if (has_target) sum += static_cast<double>(s.target(at(s.target_column)) == label);
    } else {
      const double prediction = s.target_original(score);
      text += to_text(prediction);
      if (has_target) sum += std::pow(prediction - at(s.target_column), 2);
      if (interval_) write_interval(score, at(s.target_column));
    }
    text += "\n";
    return Done{};
  }

  /// "accuracy 0.93 on 100 rows; best constant 0.6", where the file has the target.
  [[nodiscard]] std::string score() const {
    if (rows == 0) return {};
    const auto n = static_cast<double>(rows);
    const bool of_classes = model_.loss.has_classes();
    const bool classes = model_.loss.is_classification() || of_classes;
    const double commonest =
        of_classes ? *std::max_element(of_class_.begin(), of_class_.end()) / n : 0.0;
    const double constant = of_classes ? commonest
                            : classes  ? std::max(equal_, n - equal_) / n
                                       : squares_ / n - std::pow(differences_ / n, 2);
    const std::string line = report::rounded(sum / n, 5) + " on " + report::grouped(rows) +
                             (rows == 1 ? " row" : " rows") +
                             (classes ? "" : ", in original units") + "; best constant " +
                             report::rounded(constant, 5) + "\n";
    const bool good = classes ? sum / n >= constant : sum / n <= constant;
    return (classes ? "accuracy " : "mean squared error ") + line + (classes ? "" : coverage()) +
           (good ? "" : "caucus: warning: the model is worse than the best constant\n");
  }

  std::string text;
  std::size_t rows = 0;  ///< with a target
  double sum = 0.0;      ///< of right labels, or of squared errors

 private:
  /// Returns the index of the class that an expert names.
  [[nodiscard]] float named_class(double forecast) const {
    const auto found = class_names_.find(to_text(forecast));
    return found != class_names_.end() ? static_cast<float>(found->second) : kNoClass;
  }

  /// Returns the name of the class of an encoded target.
  [[nodiscard]] std::string class_of(double target) const {
    for (const Encoding& one : model_.encodings) {
      if (one.role != Encoding::Role::target || one.kind != Encoding::Kind::category) continue;
      return one.levels[static_cast<std::size_t>(target)];
    }
    return to_text(target);
  }

  /// Writes the likeliest class and the probabilities of all classes.
  void write_classes(const std::string& target) {
    probabilities_.resize(model_.class_names.size());
    of_class_.resize(probabilities_.size(), 0.0);
    predictor_.probabilities(x_, probabilities_);
    const auto at = class_names_.find(target);
    if (personal_) {
      const std::vector<double> outputs = predictor_.mean_outputs();
      personal_->predict(std::span(x_).first(model_.scaling.feature_columns.size()), outputs,
                         probabilities_);
      if (at != class_names_.end()) personal_->observe(static_cast<double>(at->second));
    }
    const std::size_t predicted = likeliest(probabilities_);
    text += class_field(model_.class_names[predicted]);
    for (const double p : probabilities_) text += "," + to_text(p);
    text += "\n";
    if (at == class_names_.end()) return;
    ++of_class_[at->second];
    sum += predicted == at->second ? 1.0 : 0.0;
  }

  void write_interval(double score, double target) {
    const std::span x = std::span(x_).first(model_.scaling.feature_columns.size());
    const double reach = deviations_ * std::sqrt(model_.learned.error_bars->variance_at(x));
    const double lower = model_.scaling.target_original(score - reach);
    const double upper = model_.scaling.target_original(score + reach);
    text += "," + to_text(lower) + "," + to_text(upper);
    inside_ += static_cast<std::size_t>(lower <= target && target <= upper);
  }

  [[nodiscard]] std::string coverage() const {
    if (!interval_) return {};
    const double share = static_cast<double>(inside_) / static_cast<double>(rows);
    return report::rounded(100.0 * share) + "% of the targets lie in the intervals of " +
           report::rounded(100.0 * *interval_) + "%\n";
  }

  /// Clips a value as caucus join does, if the federation knows the ranges of its columns.
  [[nodiscard]] double clipped(std::size_t column, double value) const {
    const Scaling& s = model_.scaling;
    return clips_ ? std::clamp(value, s.minimum[column], s.maximum[column]) : value;
  }

  /// Adds a target to the sums that tell what the best constant would have lost.
  void count_target(double y) {
    if (rows++ == 0) first_ = y;
    differences_ += y - first_;
    squares_ += (y - first_) * (y - first_);
    equal_ += static_cast<double>(y == first_);
  }

  const report::StoredModel& model_;
  Predictor predictor_;
  std::optional<double> interval_;
  double deviations_;
  std::size_t inside_ = 0;  ///< targets inside of their intervals
  std::optional<PersonalLayer> personal_;
  std::vector<double> probabilities_, of_class_;  ///< of the classes, and how often they came
  std::map<std::string, std::size_t> class_names_;
  bool clips_;  ///< the ranges are known
  std::string file_;
  Encoder encoder_;
  std::vector<double> values_;                ///< the encoded row
  double first_ = 0.0;                        ///< the first target
  double differences_ = 0.0, squares_ = 0.0;  ///< of the targets from it
  double equal_ = 0.0;                        ///< targets that equal it
  std::vector<float> x_;
  ExpertProgram program_;
  std::vector<std::uint32_t> asked_;
  std::unique_ptr<ExpertCommand> command_;
};

/// Returns the names of the experts that a program must be asked for.
Result<std::vector<std::string>> asked_experts(const report::StoredModel& model,
                                               const PredictCommand& command) {
  std::vector<std::string> names = expert_names(model.spaces);
  if (!model.scaling.expert_columns.empty()) names.clear();
  if (names.empty() && !command.expert_command.empty()) {
    return usage_error("--expert-command", "the model asks no experts", "expected no program");
  }
  if (!names.empty() && command.expert_command.empty()) {
    return usage_error("--expert-command", "is missing: the model asks " + names.front(),
                       "expected the program that makes the forecasts of its experts");
  }
  return names;
}

Status execute_predict(const PredictCommand& command) {
  CAUCUS_TRY(const report::StoredModel model, report::read_model(command.model));
  CAUCUS_TRY(const auto asked, asked_experts(model, command));
  const InputShape shape{model.scaling.feature_columns.size(),
                         model.scaling.expert_columns.size() + asked.size()};
  CAUCUS_TRY(const FeatureMaps maps, FeatureMaps::make(model.spaces, shape, model.seed,
                                                       model.repetition, model.sample_size));
  if (command.out != "-") {
    CAUCUS_CHECK(check_outputs({{"--out", command.out}}, {command.client_state}));
  }
  CAUCUS_CHECK(check_interval(command, model));
  std::optional<PersonalLayer> personal;
  if (!command.client_state.empty()) {
    CAUCUS_TRY(personal, read_personal(command.client_state, model));
  }
  InputTables tables;
  CAUCUS_TRY(const InputTable table, tables.open(command.data));
  PredictingSink sink(model, maps, std::move(personal), command.interval, table.name);
  Interruptible interruptible;
  if (!asked.empty()) sink.ask({command.expert_command, asked});
  CAUCUS_CHECK([&] {
    const auto line = show_reading({command.data});
    return read_cells(*table.source, table.format, sink);
  }());
  interruptible.end();
  CAUCUS_CHECK(write_text(command.out, sink.text));
  std::fputs(sink.score().c_str(), stderr);
  return Done{};
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto [predict, given] = add_command(app, action, "predict", "Predict with what a run has learned",
                                      kPredictExamples, execute_predict);
  add_option(predict, "--model", "FILE", given.model,
             "written by caucus run --model-out or caucus export")
      ->required();
  add_option(predict, "--data", "FILE", given.data, "new data, with or without the target column")
      ->required();
  const auto set_interval = [&interval = given.interval](const std::string& text) {
    const auto share = parse_number(text);
    if (!share.ok() || !(*share > 0.0 && *share < 1.0)) {
      throw CLI::ValidationError("--interval", "'" + text + "' is not a number between 0 and 1");
    }
    interval = *share;
  };
  predict
      .add_option_function<std::string>("--interval", set_interval,
                                        "also between which values the target lies with this "
                                        "probability")
      ->type_name("P");
  add_option(predict, "--client-state", "FILE", given.client_state,
             "predict as this client of the federation, with its personal layer");
  add_option(predict, "--expert-command", "COMMAND", given.expert_command,
             "the program that makes the forecasts of the model's experts");
  add_option(predict, "--out", "FILE|-", given.out, "where to write (standard output)");
}

}  // namespace caucus::cli
