// Weights over the spaces that are multiplied by exp(-rate * loss), and draws from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "caucus/core/base/random.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

/// Makes p_i proportional to p_i exp(-rate * loss_i), in log space.
void hedge(Simplex& p, std::span<const double> losses, double rate);

/// Draws an index with these probabilities, never one of probability 0.
std::size_t draw_index(std::span<const double> probabilities, Stream& stream);

/// Returns sum_i p_i x_i.
double expectation(std::span<const double> p, std::span<const double> values);

/// Stands for the client in the key of a draw that the server makes for all of them.
inline constexpr std::uint32_t kEveryClient = 0xFFFFFFFFU;

}  // namespace caucus
