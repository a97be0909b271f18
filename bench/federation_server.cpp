#include "federation_server.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/wire/server.hpp"
#include "echo.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace caucus::bench {
namespace {

FederationSettings federation_settings(const Setting& setting) {
  FederationSettings settings;
  for (int i = -1; i < 7; ++i) {
    settings.plan.spaces.push_back({.kind = SpaceKind::gaussian,
                                    .radius = 2.0,
                                    .width = std::exp2(i),
                                    .features = setting.frequencies});
  }
  settings.plan.sample_size = setting.sample_size;
  settings.plan.features = kFeatures;
  settings.problem.spaces = settings.plan.spaces;
  settings.problem.sample_size = setting.sample_size;
  settings.problem.schedule.kind = ScheduleKind::constant;
  settings.problem.constants.lambda = 0.5;
  settings.max_abs_target = 1.0;
  for (std::size_t j = 0; j < setting.clients; ++j) {
    settings.clients.push_back("c" + std::to_string(j));
  }
  return settings;
}

/// The pipes to and from the parent process.
class Pipe {
 public:
  Pipe(int told, int tells) : told_(told), tells_(tells) {}
  void tell(const ServerFigures& figures) const {
    if (write(tells_, &figures, sizeof figures) != sizeof figures) throw std::runtime_error("pipe");
  }
  /// Returns false when the parent has finished.
  [[nodiscard]] bool wait_for_word() const {
    char word = 0;
    return read(told_, &word, 1) == 1;
  }

 private:
  int told_, tells_;
};

void serve_echo(const Setting& setting, const Keys& keys, const Pipe& parent) {
  v1::ServerMessage reply;
  auto& assignment = *reply.mutable_assignment();
  assignment.set_batch(1);
  for (std::size_t a = 0; a < setting.sample_size; ++a) {
    auto& held = *assignment.add_held();
    held.set_share(0.5);
    for (std::uint32_t k = 0; k < 2 * setting.frequencies; ++k) held.add_weights(0.1F);
  }
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (setting.tls) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({keys.server.key, keys.server.certificate});
    credentials = grpc::SslServerCredentials(options);
  }
  const EchoServer server(setting.clients, setting.mode == "barrier", reply, credentials);
  ServerFigures figures;
  figures.port = server.port();
  parent.tell(figures);
  while (parent.wait_for_word()) parent.tell(figures);
}

void serve_federation(const Setting& setting, const Keys& keys, const Pipe& parent) {
  const auto directory = std::filesystem::temp_directory_path() /
                         ("caucus-federation-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  {
    auto store = value_of(Store::open((directory / "run.db").string(), {setting.commit_every}));
    const auto host =
        value_of(Host::make(federation_settings(setting), "bench", std::move(store), {1'000, {}}));
    wire::ServerOptions options;
    options.listen = {"localhost", 0};
    if (setting.tls) options.keys = wire::ServerKeys{keys.server.certificate, keys.server.key, {}};
    const auto server = value_of(wire::Server::start(*host, std::move(options)));
    ServerFigures figures;
    figures.port = server->address().port;
    figures.megabytes_before = status_megabytes("VmRSS");
    parent.tell(figures);
    while (parent.wait_for_word()) {
      figures.megabytes_with = status_megabytes("VmRSS");
      parent.tell(figures);
    }
    host->abandon();
  }
  std::filesystem::remove_all(directory);
}

}  // namespace

void serve(const Setting& setting, const Keys& keys, int told, int tells) {
  const Pipe parent(told, tells);
  if (setting.mode == "federation") {
    serve_federation(setting, keys, parent);
  } else {
    serve_echo(setting, keys, parent);
  }
}

}  // namespace caucus::bench
