// Status and metrics over plain HTTP, for browsers and Prometheus: GET /status, /metrics, /healthz.
// It only tells; nothing can be changed through it.
#pragma once

#include <functional>
#include <memory>

#include "caucus/federation/host.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

class HttpEndpoint {
 public:
  /// Answers until it is destroyed; `status` is called from several threads.
  static Result<std::unique_ptr<HttpEndpoint>> start(const Address& listen,
                                                     const std::function<HostStatus()>& status);
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;
  HttpEndpoint(HttpEndpoint&&) = delete;
  HttpEndpoint& operator=(HttpEndpoint&&) = delete;
  ~HttpEndpoint();

  /// Where it listens: with the port that the system chose.
  [[nodiscard]] const Address& address() const;

 private:
  struct Parts;
  explicit HttpEndpoint(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus::cli
