// Bounds on the size of messages, so that larger ones can be refused, and the memory that a plan
// needs.
#pragma once

#include <cstddef>

#include "caucus/engine/participant/records.hpp"

namespace caucus {

inline constexpr std::size_t kMostReportBytes = 512U << 20U;
inline constexpr std::size_t kMostAssignmentBytes = 64U << 20U;
/// The limit of a report where only the clients know how many numbers an example has.
inline constexpr std::size_t kMostReportBytesOfAnyShape = 8U << 20U;

/// The limit of the memory of the kernels' frequencies, and the limit if only the clients know how
/// many numbers an example has.
inline constexpr double kMostFrequencyBytes = 1 << 30;
inline constexpr double kMostFrequencyBytesOfAnyShape = 256 << 20;

/// Returns the most bytes of an assignment of J = `sample_size` models.
std::size_t largest_assignment(const SharedPlan& plan, std::size_t sample_size);
/// Returns the most bytes of an honest report: J models for each batch that labels may be late.
std::size_t largest_report(const SharedPlan& plan, std::size_t sample_size);
/// Returns the bytes of a report without late labels, which a client keeps until it is durable.
std::size_t usual_report(const SharedPlan& plan, std::size_t sample_size);
/// Returns the bytes of all random frequencies, as a double: a client may claim any size.
double frequency_bytes(const SharedPlan& plan);

}  // namespace caucus
