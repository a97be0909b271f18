// caucus predict: predicts new data with what was learned.
#include <algorithm>
#include <cmath>
#include <optional>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/data/table.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"
#include "joining/join_state.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kPredictExamples = R"(Examples:
  caucus run --data d.csv --model-out model.json
  caucus predict --model model.json --data new.csv > predictions.csv
  caucus export run.db -o model.json     # of a federation, in place of the first
  caucus predict --model model.json --client-state c01.csv.c01.join --data new.csv

The data have the columns of the training file, with or without the target. Predictions are in
original units, sum_i p_i f_i(x); a logistic model also gives the probability of class 1.

--client-state predicts as this client of the federation would with these models: its personal
layer, which caucus join has kept, corrects every prediction. It needs the model of the same run,
from caucus export. Rows count in their order: if the file has the target, the layer learns each
row's after it has predicted the row, as in the run; without the target its last one remains that
of the client's last row in the run. The state file is not changed.)";

struct PredictCommand {
  std::string model, data, client_state, out = "-";
};

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

/// Predicts row by row while the file is read.
class PredictingSink : public RowSink {
 public:
  PredictingSink(const report::StoredModel& model, const FeatureMaps& maps,
                 std::optional<PersonalLayer> personal, std::string file)
      : model_(model),
        predictor_(maps, model.learned),
        personal_(std::move(personal)),
        clips_(personal_ && model.scaling.minimum != model.scaling.maximum),
        file_(std::move(file)) {
    const Scaling& s = model.scaling;
    x_.resize(s.feature_columns.size() + s.expert_columns.size());
  }

  Status header(const TableHeader& header) override {
    const std::size_t columns = model_.scaling.columns;
    if (header.columns != columns && header.columns + 1 != columns) {
      return data_error(file_, "has " + std::to_string(header.columns) + " columns",
                        "expected the " + std::to_string(columns) +
                            " of the training data, or one less without the target");
    }
    has_target_ = header.columns == columns;
    CAUCUS_CHECK(check_names(header.names));
    const bool logistic = std::holds_alternative<LogisticLoss>(model_.loss.kind());
    text = std::string("prediction") + (model_.loss.is_classification() ? ",score" : "") +
           (logistic ? ",probability\n" : "\n");
    return Done{};
  }

  Status row(std::span<const double> values, std::size_t) override {
    const Scaling& s = model_.scaling;
    const auto at = [&](std::size_t column) { return values[place(column)]; };
    std::size_t k = 0;
    for (const std::size_t column : s.feature_columns) {
      x_[k] = static_cast<float>(s.feature(k, clipped(column, at(column))));
      ++k;
    }
    for (const std::size_t column : s.expert_columns) {
      x_[k++] = static_cast<float>(s.target(clipped(column, at(column))));
    }
    double score = predictor_(x_);
    if (personal_) {
      score = personal_->predict(std::span(x_).first(s.feature_columns.size()), score);
      if (has_target_) {
        const double target = s.target(clipped(s.target_column, at(s.target_column)));
        personal_->observe(static_cast<double>(static_cast<float>(target)));
      }
    }
    ++rows;
    if (model_.loss.is_classification()) {
      const double label = report::written_label(score, model_.labels);
      text += to_text(label) + "," + to_text(score);
      if (std::holds_alternative<LogisticLoss>(model_.loss.kind())) {
        text += "," + to_text(1.0 / (1.0 + std::exp(-score)));
      }
      if (has_target_) sum += static_cast<double>(s.target(at(s.target_column)) == label);
    } else {
      const double prediction = s.target_original(score);
      text += to_text(prediction);
      if (has_target_) sum += std::pow(prediction - at(s.target_column), 2);
    }
    text += "\n";
    return Done{};
  }

  /// "accuracy 0.93 on 100 rows", where the file has the target.
  [[nodiscard]] std::string score() const {
    if (!has_target_ || rows == 0) return {};
    const std::string mean = report::rounded(sum / static_cast<double>(rows), 5);
    const std::string on = " on " + report::grouped(rows) + (rows == 1 ? " row" : " rows");
    return model_.loss.is_classification()
               ? "accuracy " + mean + on + "\n"
               : "mean squared error " + mean + on + ", in original units\n";
  }

  std::string text;
  std::size_t rows = 0;
  double sum = 0.0;  ///< of right labels, or of squared errors

 private:
  /// Clips a value as caucus join does, if the federation knows the ranges of its columns.
  [[nodiscard]] double clipped(std::size_t column, double value) const {
    const Scaling& s = model_.scaling;
    return clips_ ? std::clamp(value, s.minimum[column], s.maximum[column]) : value;
  }

  /// The place of a column of the training file in this one: without the target, later columns
  /// move up.
  [[nodiscard]] std::size_t place(std::size_t column) const {
    const bool moved = !has_target_ && column > model_.scaling.target_column;
    return column - static_cast<std::size_t>(moved);
  }

  /// Refuses columns with other names, since swapped columns would silently give wrong predictions.
  [[nodiscard]] Status check_names(const std::vector<std::string>& names) const {
    if (names.empty() || model_.feature_names.empty()) return Done{};
    for (std::size_t k = 0; k < model_.feature_names.size(); ++k) {
      const std::size_t column = place(model_.scaling.feature_columns[k]);
      if (names[column] != model_.feature_names[k]) {
        return data_error(file_,
                          "column " + std::to_string(column + 1) + " is '" + names[column] + "'",
                          "expected '" + model_.feature_names[k] + "', as in the training data");
      }
    }
    return Done{};
  }

  const report::StoredModel& model_;
  Predictor predictor_;
  std::optional<PersonalLayer> personal_;
  bool clips_;  ///< the ranges are known
  std::string file_;
  bool has_target_ = false;
  std::vector<float> x_;
};

Status execute_predict(const PredictCommand& command) {
  CAUCUS_TRY(const report::StoredModel model, report::read_model(command.model));
  CAUCUS_TRY(
      const FeatureMaps maps,
      FeatureMaps::make(model.spaces,
                        {model.scaling.feature_columns.size(), model.scaling.expert_columns.size()},
                        model.seed, model.repetition, model.sample_size));
  if (command.out != "-") {
    CAUCUS_CHECK(check_outputs({{"--out", command.out}}, {command.client_state}));
  }
  std::optional<PersonalLayer> personal;
  if (!command.client_state.empty()) {
    CAUCUS_TRY(personal, read_personal(command.client_state, model));
  }
  PredictingSink sink(model, maps, std::move(personal), command.data);
  CAUCUS_CHECK(read_table(command.data, sink));
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
  add_option(predict, "--client-state", "FILE", given.client_state,
             "predict as this client of the federation, with its personal layer");
  add_option(predict, "--out", "FILE|-", given.out, "where to write (standard output)");
}

}  // namespace caucus::cli
