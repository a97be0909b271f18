// Translates the records of a federation to protobuf messages and back. Decoding checks that a
// record is complete; whether a report can be true is checked elsewhere (validation.hpp). A message
// must be empty before a record is encoded into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "caucus/algorithms/round.hpp"
#include "caucus/engine/participant/records.hpp"
#include "caucus/result.hpp"
#include "caucus/v1/federation.pb.h"

namespace caucus::wire {

void encode(const HelloRecord& hello, v1::Hello& into);
Result<HelloRecord> decode(const v1::Hello& hello);

void encode(const ReadyRecord& ready, v1::Ready& into);
ReadyRecord decode(const v1::Ready& ready);

void encode(const WelcomeRecord& welcome, v1::Welcome& into);
Result<WelcomeRecord> decode(const v1::Welcome& welcome);

void encode(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment,
            v1::Assignment& into);
AssignmentRecord decode(const v1::Assignment& assignment);

void encode(const ReportRecord& report, v1::Report& into);
ReportRecord decode(const v1::Report& report);

/// Returns the size of a message on the wire, with gRPC's prefix.
template <class Message>
std::size_t bytes_of(const Message& message) {
  constexpr std::size_t kFrame = 5;
  return message.ByteSizeLong() + kFrame;
}

/// Encodes the plan alone. The same plan always gives the same bytes, which a store compares.
std::string plan_bytes(const SharedPlan& plan);

}  // namespace caucus::wire
