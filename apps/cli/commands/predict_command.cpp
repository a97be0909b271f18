// caucus predict: predicts new data with what was learned.
#include <algorithm>
#include <cmath>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/data/table.hpp"
#include "caucus/report/model_file.hpp"
#include "caucus/report/text_table.hpp"
#include "caucus/report/words.hpp"
#include "options/option.hpp"
#include "options/outputs.hpp"

namespace caucus::cli {
namespace {

constexpr const char* kPredictExamples = R"(Examples:
  caucus run --data d.csv --model-out model.json
  caucus predict --model model.json --data new.csv > predictions.csv
  caucus export run.db -o model.json     # of a federation, in place of the first

The data have the columns of the training file, with or without the target. Predictions are in
original units, sum_i p_i f_i(x); a logistic model also gives the probability of class 1.)";

struct PredictCommand {
  std::string model, data, out = "-";
};

/// Predicts row by row while the file is read.
class PredictingSink : public RowSink {
 public:
  PredictingSink(const report::StoredModel& model, const FeatureMaps& maps, std::string file)
      : model_(model), predictor_(maps, model.learned), file_(std::move(file)) {
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
      x_[k] = static_cast<float>(s.feature(k, at(column)));
      ++k;
    }
    for (const std::size_t column : s.expert_columns) {
      x_[k++] = static_cast<float>(s.target(at(column)));
    }
    const double score = predictor_(x_);
    if (has_target_) count_target(at(s.target_column));
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

  /// "accuracy 0.93 on 100 rows; best constant 0.6", where the file has the target.
  [[nodiscard]] std::string score() const {
    if (!has_target_ || rows == 0) return {};
    const auto n = static_cast<double>(rows);
    const bool classes = model_.loss.is_classification();
    const double constant =
        classes ? std::max(equal_, n - equal_) / n : squares_ / n - std::pow(differences_ / n, 2);
    const std::string line = report::rounded(sum / n, 5) + " on " + report::grouped(rows) +
                             (rows == 1 ? " row" : " rows") +
                             (classes ? "" : ", in original units") + "; best constant " +
                             report::rounded(constant, 5) + "\n";
    const bool good = classes ? sum / n >= constant : sum / n <= constant;
    return (classes ? "accuracy " : "mean squared error ") + line +
           (good ? "" : "caucus: warning: the model is worse than the best constant\n");
  }

  std::string text;
  std::size_t rows = 0;
  double sum = 0.0;  ///< of right labels, or of squared errors

 private:
  /// The place of a column of the training file in this one: without the target, later columns
  /// move up.
  [[nodiscard]] std::size_t place(std::size_t column) const {
    const bool moved = !has_target_ && column > model_.scaling.target_column;
    return column - static_cast<std::size_t>(moved);
  }

  /// Adds a target to the sums that tell what the best constant would have lost.
  void count_target(double y) {
    if (rows == 0) first_ = y;
    differences_ += y - first_;
    squares_ += (y - first_) * (y - first_);
    equal_ += static_cast<double>(y == first_);
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
  std::string file_;
  bool has_target_ = false;
  double first_ = 0.0;                        ///< the first target
  double differences_ = 0.0, squares_ = 0.0;  ///< of the targets from it
  double equal_ = 0.0;                        ///< targets that equal it
  std::vector<float> x_;
};

Status execute_predict(const PredictCommand& command) {
  CAUCUS_TRY(const report::StoredModel model, report::read_model(command.model));
  CAUCUS_TRY(
      const FeatureMaps maps,
      FeatureMaps::make(model.spaces,
                        {model.scaling.feature_columns.size(), model.scaling.expert_columns.size()},
                        model.seed, model.repetition, model.sample_size));
  if (command.out != "-") CAUCUS_CHECK(check_outputs({{"--out", command.out}}, {}));
  PredictingSink sink(model, maps, command.data);
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
  add_option(predict, "--out", "FILE|-", given.out, "where to write (standard output)");
}

}  // namespace caucus::cli
