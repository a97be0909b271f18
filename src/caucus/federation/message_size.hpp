// How large messages can be, so that nobody has to take larger ones, and what a plan takes in
// memory.
#pragma once

#include <cstddef>

#include "caucus/federation/records.hpp"

namespace caucus {

inline constexpr std::size_t kMostReportBytes = 512U << 20U;
inline constexpr std::size_t kMostAssignmentBytes = 64U << 20U;
/// Of a report where only the clients know how many numbers an example has.
inline constexpr std::size_t kMostReportBytesOfAnyShape = 4U << 20U;

/// Of the kernels' frequencies; and where only the clients know that.
inline constexpr double kMostFrequencyBytes = 1 << 30;
inline constexpr double kMostFrequencyBytesOfAnyShape = 256 << 20;

/// What the J = `held` models of a batch take.
std::size_t largest_assignment(const SharedPlan& plan, std::size_t held);
/// What an honest client can have to say: the same for every batch that a label may be late by.
std::size_t largest_report(const SharedPlan& plan, std::size_t held);
/// What a client keeps of a report until it is durable, if no label was late.
std::size_t usual_report(const SharedPlan& plan, std::size_t held);
/// What the random frequencies of all kernels take: a real, since clients may say any size.
double frequency_bytes(const SharedPlan& plan);

}  // namespace caucus
