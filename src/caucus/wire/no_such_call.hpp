// Calls that the protocol does not have. gRPC would answer them itself, but here they count like
// any other stream.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <utility>

#include "caucus/wire/connections.hpp"

namespace caucus::wire {

class NoSuchCall final : public grpc::ServerGenericBidiReactor {
 public:
  explicit NoSuchCall(Connections::Stream stream) : stream_(std::move(stream)) {
    Finish({grpc::StatusCode::UNIMPLEMENTED, "there is no such call"});
  }

 private:
  void OnDone() override { delete this; }  // nobody else knows of it

  const Connections::Stream stream_;
};

class NoSuchService final : public grpc::CallbackGenericService {
 public:
  explicit NoSuchService(Connections& connections) : connections_(&connections) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new NoSuchCall(connections_->take_in(*context));
  }

  Connections* connections_;
};

}  // namespace caucus::wire
