#include "caucus/wire/stream_gate.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace caucus::wire {
namespace {

/// What gRPC knows of a connection.
class Known final : public grpc::AuthContext {
 public:
  [[nodiscard]] bool IsPeerAuthenticated() const override { return false; }
  [[nodiscard]] std::vector<grpc::string_ref> GetPeerIdentity() const override { return {}; }
  [[nodiscard]] std::string GetPeerIdentityPropertyName() const override { return {}; }
  [[nodiscard]] std::vector<grpc::string_ref> FindPropertyValues(
      const std::string& /*name*/) const override {
    return {kind_};
  }
  [[nodiscard]] grpc::AuthPropertyIterator begin() const override { return Nothing(); }
  [[nodiscard]] grpc::AuthPropertyIterator end() const override { return Nothing(); }
  void AddProperty(const std::string& /*key*/, const grpc::string_ref& /*value*/) override {}
  bool SetPeerIdentityPropertyName(const std::string& /*name*/) override { return false; }

 private:
  struct Nothing : grpc::AuthPropertyIterator {};
  const std::string kind_ = "of some security";
};

class Gate : public testing::Test {
 protected:
  grpc::StatusCode asks(Known& connection) {
    return gate_.Process({}, &connection, nullptr, nullptr).error_code();
  }
  void expect_three(Known& connection) {
    for (int n = 0; n < 3; ++n) EXPECT_EQ(asks(connection), grpc::StatusCode::OK);
    for (int n = 0; n < 5; ++n) {
      EXPECT_EQ(asks(connection), grpc::StatusCode::RESOURCE_EXHAUSTED);
    }
  }

  StreamGate gate_{3};
  Known first_, second_;
};

TEST_F(Gate, LetsSomeStreamsOfEachConnectionIn) {
  expect_three(first_);
  expect_three(second_);
}

TEST_F(Gate, LetsOthersInWhenOneIsSeen) {
  expect_three(first_);
  expect_three(second_);
  gate_.seen(first_);
  EXPECT_EQ(asks(second_), grpc::StatusCode::RESOURCE_EXHAUSTED);
  expect_three(first_);
}

TEST_F(Gate, ForgetsWhatNobodySees) {
  expect_three(first_);
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  expect_three(first_);
}

}  // namespace
}  // namespace caucus::wire
