#include "caucus/core/feature_tile.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "caucus/core/vector.hpp"

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
  std::map<std::pair<Waves*, float>, Family*> by_turns;
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
          {&projections_[map.base], map.frequencies, map.levels, map.amplitude, 0.0F, {}, 0, {}});
      found->second = &waves_.back();
      if (map.levels > 1) found->second->unasked.resize(map.dimension);
    }
    Waves* const waves = found->second;
    waves->turns = std::max(waves->turns, map.turns);
    const auto [family, is_first] = by_turns.try_emplace({waves, map.turns}, nullptr);
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
  wave_of_family_.resize(families_.size());
}

void FeatureTile::request_waves(std::size_t count, std::size_t J, const float* const* examples,
                                const std::uint32_t* spaces, const float** into) {
  Waves& waves = *only_waves_;
  Projections& projections = *waves.projections;
  touch(projections);
  if (waves.wanted.size() < count * J) make_room(waves, count * J);
  touched_waves_.push_back(&waves);
  std::copy_n(examples, count, projections.examples.data());
  projections.count = count;
  const std::size_t room = simd::padded(2 * waves.frequencies);
  float* next = memory_.take(count * J * room);
  simd::Wave* wave = waves.wanted.data();
  const float* row = projections.rows.data();
  const std::size_t width = projections.width;
  if (waves.levels == 1) {
    const float* const turns = turns_.data();
    for (std::size_t e = 0; e < count; ++e, row += width) {
      for (std::size_t a = 0; a < J; ++a, next += room, ++wave) {
        wave->x = row;
        wave->factor = turns[*spaces++];
        wave->out[0] = next;
        *into++ = next;
      }
    }
  } else {
    std::fill(wave_of_family_.begin(), wave_of_family_.end(), nullptr);
    for (std::size_t e = 0; e < count; ++e, row += width) {
      simd::Wave* const first = wave;  // of this example
      for (std::size_t a = 0; a < J; ++a, next += room) {
        const Place place = places_[*spaces];
        simd::Wave*& mine = wave_of_family_[place.family];
        if (mine == nullptr || mine < first) {
          mine = wave++;
          begin_wave(waves, *mine, row, turns_[*spaces]);
        }
        mine->out[place.level] = next;
        *into++ = next;
        ++spaces;
      }
    }
  }
  waves.count = static_cast<std::size_t>(wave - waves.wanted.data());
}

void FeatureTile::clear() {
  for (Projections* projections : touched_) projections->count = 0;
  touched_.clear();
  memory_.clear();
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

void FeatureTile::compute() {
  for (Projections* projections : touched_) {
    projections->largest =
        project(projections->base->values, maps_->shape_.features, projections->width,
                projections->base->frequencies,
                std::span(projections->examples).first(projections->count), projections->rows);
  }
  for (Waves* waves : touched_waves_) compute(*waves);
  touched_waves_.clear();
}

void FeatureTile::compute(Waves& waves) {
  const auto wanted = std::span<const simd::Wave>(waves.wanted).first(waves.count);
  if (waves.projections->largest * waves.turns < kLargestPhase) {
    scaled_sincos(wanted, waves.levels, waves.amplitude, waves.frequencies);
  } else {
    for (const simd::Wave& wave : wanted) {
      FeatureMaps::random_features(wave, waves.levels, waves.amplitude, waves.frequencies);
    }
  }
  waves.count = 0;
}

}  // namespace caucus
