#include "options/flag_words.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace caucus::cli {
namespace {

/// Options that have a flag of the same name.
constexpr auto kOptions = std::to_array<std::string_view>(
    {"algorithm", "dropout", "eta", "exploration", "feature-bound", "fixed-share", "gradient-scale",
     "label-bound", "lambda", "loss", "loss-bound", "model-rate", "out", "regularization",
     "repeats", "rounds-per-upload", "sample", "spaces", "weight-rate"});

struct Phrase {
  std::string_view library, program;
};
constexpr Phrase kPhrases[] = {
    {"expected to resume behind them", "expected --resume to go on behind them"},
    {"expected not to resume", "expected to join without --resume"},
    {"zero data need a loss bound", "zero data need --loss-bound"},
    {"authority's certificate, or an insecure connection,",
     "authority's certificate (--ca), or --insecure for a connection"},
};

void replace(std::string& text, const Phrase& phrase) {
  const auto at = text.find(phrase.library);
  if (at != std::string::npos) text.replace(at, phrase.library.size(), phrase.program);
}

}  // namespace

Error with_flags(Error error) {
  if (std::find(kOptions.begin(), kOptions.end(), error.where) != kOptions.end()) {
    error.where.insert(0, "--");
  }
  for (const Phrase& phrase : kPhrases) {  // a server's refusal has all of it in `what`
    replace(error.what, phrase);
    replace(error.expected, phrase);
  }
  return error;
}

}  // namespace caucus::cli
