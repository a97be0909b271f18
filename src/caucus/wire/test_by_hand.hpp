// For tests: a client whose examples are all the same, message by message.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "caucus/engine/participant/participant.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/codec.hpp"

namespace caucus::wire {

class ClientByHand {
 public:
  /// Says Hello.
  ClientByHand(const std::string& server, const std::string& name, std::uint64_t examples)
      : stub_(v1::Federation::NewStub(
            grpc::CreateChannel(server, grpc::InsecureChannelCredentials()))),
        stream_(stub_->Join(&context_)),
        examples_(examples) {
    HelloRecord hello;
    hello.client = name;
    hello.resume = true;
    encode(hello, *message_.mutable_hello());
    stream_->Write(message_);
  }

  /// The next message; a Welcome is answered. False if there are no more.
  bool receive() {
    if (!stream_->Read(&received_)) return false;
    if (!received_.has_welcome()) return true;
    const WelcomeRecord welcome = *decode(received_.welcome());
    SharedPlan plan = welcome.plan;
    if (plan.features == 0) plan.features = 1;
    participant_ = Participant::make(plan, welcome.client).value();
    encode(ReadyRecord{examples_, plan.features, 0}, *message_.mutable_ready());
    return stream_->Write(message_);
  }
  [[nodiscard]] const v1::ServerMessage& received() const { return received_; }
  /// Up to the next assignment.
  bool receive_assignment() {
    while (receive()) {
      if (received_.has_assignment()) return true;
    }
    return false;
  }
  /// Answers the assignment that it has received.
  void report(bool last) {
    ASSERT_TRUE(participant_->assign(decode(received_.assignment())).ok());
    const std::vector<float> x(participant_->plan().features, 0.5F);
    participant_->observe(participant_->predict(x)->id, 1.0);
    encode(*participant_->take_report(last), *message_.mutable_report());
    stream_->Write(message_);
  }
  void send_goodbye() {
    message_.mutable_goodbye();
    stream_->Write(message_);
  }
  void say_no_more() { stream_->WritesDone(); }
  void vanish() { context_.TryCancel(); }
  grpc::Status end() {
    while (receive()) {
    }
    return stream_->Finish();
  }

 private:
  std::unique_ptr<v1::Federation::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  const std::uint64_t examples_;
  std::unique_ptr<Participant> participant_;
  v1::ClientMessage message_;
  v1::ServerMessage received_;
};

/// Until its example is counted and it has received the end, to which it says that it has or
/// nothing.
inline void take_part_by_hand(const std::string& server, const std::string& name, bool goodbye) {
  ClientByHand client(server, name, 1);
  bool ended = false;
  while (!ended && client.receive()) {
    if (client.received().has_assignment()) client.report(true);
    ended = client.received().has_end();
  }
  EXPECT_TRUE(ended);
  if (goodbye) client.send_goodbye();
  client.say_no_more();
  EXPECT_TRUE(client.end().ok());
}

}  // namespace caucus::wire
