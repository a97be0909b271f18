#include "caucus/core/features/feature_tile.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), example_size_(maps.example_size()), recipes_(maps.maps_.size()) {
  projections_.reserve(maps.bases_.size());
  for (const FrequencyBase& base : maps.bases_) {
    Projections& projections = projections_.emplace_back();
    projections.base = &base;
    projections.width = base.width();
  }
  waves_.reserve(maps.maps_.size());
  std::map<std::pair<std::size_t, std::size_t>, Waves*> known;  // base, levels
  families_.reserve(maps.maps_.size());
  std::map<std::size_t, Family*> by_widest;  // the turns of two maps may be equal floats
  for (std::size_t m = 0; m < recipes_.size(); ++m) {
    const FeatureMaps::Map& map = maps.maps_[m];
    Recipe& recipe = recipes_[m];
    recipe.dimension = map.dimension;
    recipe.offset = map.offset;
    if (map.is_example() || map.offset > 0 || map.dimension == 0) continue;
    if (map.kind == SpaceKind::linear) {
      recipe.source = Source::intercept;
      continue;
    }
    recipe.source = Source::waves;
    recipe.level = map.level;
    const auto [found, is_new] = known.try_emplace({map.base, map.levels}, nullptr);
    if (is_new) {
      waves_.push_back(
          {&projections_[map.base], map.frequencies, map.levels, map.amplitude, 0.0F, {}, 0, 0.0});
      found->second = &waves_.back();
    }
    Waves* const waves = found->second;
    waves->turns = std::max(waves->turns, map.turns);
    const auto [family, is_first] = by_widest.try_emplace(map.widest, nullptr);
    if (is_first) {
      families_.push_back({waves, map.turns});
      family->second = &families_.back();
    }
    recipe.family = family->second;
  }
  std::vector<std::size_t> users(recipes_.size(), 0);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    Recipe& recipe = recipes_[maps.map_of_[i]];
    recipe.shared = ++users[maps.map_of_[i]] > 1;
    recipe_of_.push_back(&recipe);
  }
  const auto is_plain = [](const Recipe& recipe) {
    return recipe.source == Source::waves && !recipe.shared;
  };
  if (waves_.size() != 1 || !std::all_of(recipes_.begin(), recipes_.end(), is_plain)) return;
  only_waves_ = &waves_.front();
  for (const Recipe* recipe : recipe_of_) {
    places_.push_back({static_cast<std::uint32_t>(recipe->family - families_.data()),
                       static_cast<std::uint32_t>(recipe->level)});
    turns_.push_back(recipe->family->turns);
  }
}

void FeatureTile::compute_pairs(const Pairs& pairs, FloatArena& memory) {
  memory_ = &memory;
  for (Projections* projections : touched_) projections->count = 0;
  touched_.clear();
  if (only_waves_ != nullptr) return compute_waves(pairs);
  const std::uint32_t* space = pairs.spaces;
  const float** features = pairs.features;
  for (std::size_t e = 0; e < pairs.count; ++e) {
    begin_example({pairs.examples[e], example_size_});
    for (std::size_t a = 0; a < pairs.J; ++a) *features++ = request(*space++);
  }
  compute();
  multiply(pairs);
}

void FeatureTile::compute_waves(const Pairs& pairs) {
  Waves& waves = *only_waves_;
  request_waves(pairs);
  project_examples();
  if (is_tame(waves) && 2 * waves.frequencies > simd::kShort) {
    scaled_sincos_products(waves.begun(), waves.levels, waves.amplitude, waves.frequencies);
  } else {
    compute(waves);
    multiply(pairs);
  }
}

/// Computes features with the same number of frequencies together.
void FeatureTile::multiply(const Pairs& pairs) const {
  const std::size_t count = pairs.count * pairs.J;
  const auto size_of = [&](std::size_t p) { return maps_->dimension(pairs.spaces[p]); };
  for (std::size_t p = 0; p < count;) {
    const std::size_t size = size_of(p);
    std::size_t end = p + 1;
    while (end < count && size_of(end) == size) ++end;
    if (size > 0) {
      dots({pairs.models + p, end - p}, {pairs.features + p, end - p}, size,
           {pairs.products + p, end - p});
    }
    p = end;
  }
}

void FeatureTile::request_waves(const Pairs& pairs) {
  Waves& waves = *only_waves_;
  Projections& projections = *waves.projections;
  const std::size_t count = pairs.count;
  const std::size_t J = pairs.J;
  touch(projections);
  const std::size_t most = count * std::max(J, families_.size());
  if (waves.wanted.size() < most) make_room(waves, most);
  std::copy_n(pairs.examples, count, projections.examples.data());
  projections.count = count;
  const std::size_t room = simd::padded(2 * waves.frequencies);
  float* memory = memory_->take(count * J * room);
  if (waves.levels > 1) return request_families(pairs, memory);
  waves.count = count * J;
  const float* row = projections.rows.data();
  const float* const turns = turns_.data();
  simd::Wave* wave = waves.wanted.data();
  for (std::size_t e = 0, p = 0; e < count; ++e, row += projections.width) {
    for (const std::size_t end = p + J; p < end; ++p, ++wave, memory += room) {
      wave->x = row;
      wave->factor = turns[pairs.spaces[p]];
      wave->out[0] = memory;
      wave->model[0] = pairs.models[p];
      wave->product[0] = pairs.products + p;
      pairs.features[p] = memory;
    }
  }
}

/// Computes all levels of each family: with several levels every client holds at least half of the
/// spaces.
void FeatureTile::request_families(const Pairs& pairs, float* memory) {
  Waves& waves = *only_waves_;
  const std::size_t room = simd::padded(2 * waves.frequencies);
  const float* row = waves.projections->rows.data();
  simd::Wave* wave = waves.wanted.data();
  const std::size_t families = families_.size();
  float* unasked = take(pairs.count * families * room);
  for (std::size_t e = 0, p = 0; e < pairs.count; ++e, row += waves.projections->width) {
    for (std::size_t f = 0; f < families; ++f, unasked += room) {
      begin_wave(waves, wave[f], row, families_[f].turns, unasked);
    }
    for (const std::size_t end = p + pairs.J; p < end; ++p, memory += room) {
      const Place place = places_[pairs.spaces[p]];
      simd::Wave& mine = wave[place.family];
      mine.out[place.level] = memory;
      mine.model[place.level] = pairs.models[p];
      mine.product[place.level] = pairs.products + p;
      pairs.features[p] = memory;
    }
    wave += families;
  }
  waves.count = pairs.count * families;
}

const float* FeatureTile::with_intercept(const Recipe& recipe) {
  float* const out = take(recipe.dimension);
  FeatureMaps::add_intercept(x_.first(recipe.dimension - 1), {out, recipe.dimension});
  return out;
}

void FeatureTile::touch(Projections& projections) {
  touched_.push_back(&projections);
  projections.rows.resize(kExamples * projections.width);
  projections.examples.resize(kExamples);
}

void FeatureTile::make_room(Waves& waves, std::size_t count) {
  waves.wanted.resize(std::max(kExamples, 2 * count));
}

void FeatureTile::project_examples() {
  for (Projections* projections : touched_) {
    projections->largest =
        project(projections->base->values, maps_->shape_.features, projections->width,
                projections->base->frequencies,
                std::span(projections->examples).first(projections->count), projections->rows);
  }
}

void FeatureTile::compute() {
  project_examples();
  for (Waves* waves : touched_waves_) compute(*waves);
  touched_waves_.clear();
}

bool FeatureTile::is_tame(const Waves& waves) {
  return waves.projections->largest * waves.turns < kLargestPhase;
}

void FeatureTile::compute(Waves& waves) {
  const auto wanted = waves.begun();
  if (is_tame(waves)) {
    scaled_sincos(wanted, waves.levels, waves.amplitude, waves.frequencies);
  } else {
    for (const simd::Wave& wave : wanted) {
      FeatureMaps::random_features(wave, waves.levels, waves.amplitude, waves.frequencies);
    }
  }
  waves.count = 0;
}

}  // namespace caucus
