// The records of a federation to the wire and back. Decoding checks what a record must have to be
// one; whether a report can be true is asked elsewhere (validation.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "caucus/algorithms/round.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/result.hpp"
#include "caucus/v1/federation.pb.h"

namespace caucus::wire {

void encode(const HelloRecord& hello, v1::Hello& into);
Result<HelloRecord> decode(const v1::Hello& hello);

void encode(const ReadyRecord& ready, v1::Ready& into);
ReadyRecord decode(const v1::Ready& ready);

void encode(const WelcomeRecord& welcome, v1::Welcome& into);
Result<WelcomeRecord> decode(const v1::Welcome& welcome);

/// Straight from the server's models.
void encode(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment,
            v1::Assignment& into);
AssignmentRecord decode(const v1::Assignment& assignment);

void encode(const ReportRecord& report, v1::Report& into);
ReportRecord decode(const v1::Report& report);

/// What a message takes on its way, with what gRPC puts in front of it.
template <class Message>
std::size_t bytes_of(const Message& message) {
  constexpr std::size_t kFrame = 5;
  return message.ByteSizeLong() + kFrame;
}

/// The plan alone: what a store keeps of it must be the same bytes whenever it is the same plan.
std::string plan_bytes(const SharedPlan& plan);

}  // namespace caucus::wire
