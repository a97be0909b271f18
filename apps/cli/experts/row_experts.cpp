#include "experts/row_experts.hpp"

#include <algorithm>

namespace caucus::cli {

Result<std::unique_ptr<RowExperts>> RowExperts::start(ExpertProgram program,
                                                      const std::vector<std::string>& paths,
                                                      const ReadOptions& options,
                                                      const Dataset& data, const Loss& loss) {
  CAUCUS_TRY(RowTexts texts, read_row_texts(paths, options.target, data));
  std::unique_ptr<RowExperts> experts(
      new RowExperts(std::move(texts), data, loss, options.ranges.has_value()));
  CAUCUS_TRY(experts->command_, ExpertCommand::start(std::move(program), experts->texts_.header));
  return experts;
}

Status RowExperts::answer(const ExpertQuestion& question, std::span<float> forecasts) {
  const auto row = static_cast<std::size_t>(question.example);
  CAUCUS_TRY(const auto answers,
             command_->ask(question.experts, texts_.rows[row],
                           data_->name() + ":" + std::to_string(data_->line(row))));
  const Scaling& scaling = data_->scaling();
  for (std::size_t k = 0; k < answers.size(); ++k) {
    double forecast = answers[k];
    if (!loss_.is_classification()) {
      forecast = scaling.target(forecast);
      const auto [least, most] = scaling.target_interval();
      if (clips_) forecast = std::clamp(forecast, least, most);
    }
    forecasts[k] = static_cast<float>(forecast);
  }
  return Done{};
}

std::vector<std::string> expert_names(const std::vector<Space>& spaces) {
  std::vector<std::string> names;
  for (const Space& space : spaces) {
    if (space.kind != SpaceKind::expert) continue;
    names.resize(std::max<std::size_t>(names.size(), space.expert + 1));
    names[space.expert] = space.name();
  }
  return names;
}

}  // namespace caucus::cli
