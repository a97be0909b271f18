// Status and metrics over plain HTTP, for browsers and Prometheus: GET /status, /metrics and
// /healthz, which answers 503 when batches could close and do not. Nothing can be changed here.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

struct StatusSources {
  std::function<HostStatus()> status;
  /// Returns why batches do not close although they could, or an empty text. It must not wait.
  std::function<std::string()> trouble;
};

class HttpEndpoint {
 public:
  /// Answers until it is destroyed; the sources are called from several threads.
  static Result<std::unique_ptr<HttpEndpoint>> start(const Address& listen,
                                                     const StatusSources& sources);
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;
  HttpEndpoint(HttpEndpoint&&) = delete;
  HttpEndpoint& operator=(HttpEndpoint&&) = delete;
  ~HttpEndpoint();

  /// Returns where it listens, with the port that the system chose.
  [[nodiscard]] const Address& address() const;

 private:
  struct Parts;
  explicit HttpEndpoint(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus::cli
