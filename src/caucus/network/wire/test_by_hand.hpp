// For tests: a client of one example, message by message.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "caucus/network/participant.hpp"
#include "caucus/network/wire/codec.hpp"
#include "caucus/v1/federation.grpc.pb.h"

namespace caucus::wire {

/// Until its example is counted and it has heard the end, to which it says that it has or nothing.
inline void take_part_by_hand(const std::string& server, const std::string& name, bool goodbye) {
  const auto stub =
      v1::Federation::NewStub(grpc::CreateChannel(server, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->Join(&context);
  v1::ClientMessage message;
  HelloRecord hello;
  hello.client = name;
  hello.resume = true;
  encode(hello, *message.mutable_hello());
  stream->Write(message);
  v1::ServerMessage heard;
  std::unique_ptr<Participant> participant;
  bool ended = false;
  while (!ended && stream->Read(&heard)) {
    if (heard.has_welcome()) {
      SharedPlan plan = decode(heard.welcome())->plan;
      plan.features = 1;
      participant = Participant::make(plan, 0).value();
      encode(ReadyRecord{1, 1, 0}, *message.mutable_ready());
      stream->Write(message);
    } else if (heard.has_assignment()) {
      ASSERT_TRUE(participant->assign(decode(heard.assignment())).ok());
      const float x[] = {0.5F};
      participant->observe(participant->predict(x)->id, 1.0);
      encode(*participant->take_report(true), *message.mutable_report());
      stream->Write(message);
    }
    ended = heard.has_end();
  }
  EXPECT_TRUE(ended);
  if (goodbye) {
    message.mutable_goodbye();
    stream->Write(message);
  }
  stream->WritesDone();
  while (stream->Read(&heard)) {
  }
  EXPECT_TRUE(stream->Finish().ok());
}

}  // namespace caucus::wire
