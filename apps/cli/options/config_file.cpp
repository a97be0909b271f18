#include "options/config_file.hpp"

// In some places toml++ 3.3 asserts that its input is well-formed instead of reporting an error
// (fuzzing found unclosed brackets), and without assertions its behaviour is undefined. So its
// assertions are enabled here, and throw.
#undef NDEBUG
namespace caucus::cli {
struct TomlAssertion {};
constexpr void require_of_toml(bool holds) {
  if (!holds) throw TomlAssertion{};
}
}  // namespace caucus::cli
#define TOML_ASSERT(expression) ::caucus::cli::require_of_toml(static_cast<bool>(expression))
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>

#include "caucus/core/base/text.hpp"
#include "caucus/data/files/text_file.hpp"
#include "command.hpp"
#include "options/plain_toml.hpp"

namespace caucus::cli {
namespace {

const std::vector<std::string> kTables = {"data",     "space", "federation", "algorithm",
                                          "schedule", "run",   "server"};

std::string place(const std::string& file, const toml::node& node) {
  return file + ":" + std::to_string(node.source().begin.line);
}

Error unknown(const std::string& where, const std::string& what, const std::string& word,
              const std::vector<std::string>& known) {
  return usage_error(where, "unknown " + what + " '" + word + "'", suggestion(word, known));
}

Error wrong_type() {
  return usage_error("", "the value has the wrong type", "expected a text, a number or a list");
}

/// Returns a value as the text that the same flag would have.
Result<std::string> value_text(const toml::node& node) {
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* i = node.as_integer()) return std::to_string(i->get());
  if (const auto* f = node.as_floating_point()) return to_text(f->get());
  if (const auto* b = node.as_boolean()) return std::string(b->get() ? "true" : "false");
  if (const auto* array = node.as_array()) {
    std::string list;
    for (const toml::node& element : *array) {
      if (element.is_array()) return wrong_type();
      CAUCUS_TRY(const std::string text, value_text(element));
      list += (&element == array->get(0) ? "" : ",") + text;
    }
    if (!array->empty()) return list;
    return usage_error("", "the list is empty", "expected at least one value");
  }
  return wrong_type();
}

template <class Target>
Status read_table(const toml::table& table, const std::string& name, const std::string& file,
                  const std::vector<Setting<Target>>& settings, Target& target,
                  const std::string& prefix = "") {
  std::vector<std::string> known;
  for (const auto& setting : settings) {
    if (setting.table == name) known.push_back(setting.key);
  }
  for (const auto& [key, node] : table) {
    const std::string word = prefix + std::string(key.str());
    const bool leads_on = std::any_of(known.begin(), known.end(), [&](const std::string& longer) {
      return longer.starts_with(word + ".");
    });
    if (leads_on) {  // tls = {cert = ...}
      if (!node.is_table()) {
        return usage_error(place(file, node), "'" + name + "." + word + "' is not a table",
                           "expected " + word + " = {...}");
      }
      CAUCUS_CHECK(read_table(*node.as_table(), name, file, settings, target, word + "."));
      continue;
    }
    const auto found =
        std::find_if(settings.begin(), settings.end(), [&](const Setting<Target>& setting) {
          return setting.table == name && setting.key == word;
        });
    if (found == settings.end()) {
      return unknown(place(file, node), "key in [" + name + "]:", word, known);
    }
    if (found->value_name.starts_with("NAME,") && !node.is_string() && !node.is_array()) {
      return usage_error(place(file, node) + ": " + name + "." + word,
                         "the value has the wrong type", "expected a list of names");
    }
    const std::string here = place(file, node) + ": " + name + "." + word;
    auto text = value_text(node);
    if (!text.ok()) text.error().where = here;
    CAUCUS_CHECK(text);
    CAUCUS_CHECK(give(*found, target, *text, here));
  }
  return Done{};
}

Status read_spaces(const toml::node& node, const std::string& file, RunConfig& config) {
  const auto* array = node.as_array();
  if (array == nullptr) {
    return usage_error(place(file, node), "space is not a list of tables", "expected [[space]]");
  }
  config.places["spaces"] = place(file, node) + ": space";
  for (const toml::node& element : *array) {
    const auto* table = element.as_table();
    if (table == nullptr || !table->contains("kind")) {
      return usage_error(place(file, element), "a space without a kind",
                         "expected kind = \"linear\" or another kind in [[space]]");
    }
    CAUCUS_CHECK(read_table(*table, "space", file, space_settings(), config.spaces.emplace_back()));
  }
  return Done{};
}

template <class Target>
Json table_json(const std::string& table, const std::vector<Setting<Target>>& settings,
                const Target& target) {
  Json object = Json::object();
  for (const auto& setting : settings) {
    if (setting.table != table) continue;
    Json value = setting.get(target);
    if (!value.is_null()) object[setting.key] = std::move(value);
  }
  return object;
}

/// Writes an object as the lines of a TOML table. Strings, numbers, booleans and flat lists look
/// the same in JSON and in TOML, except for one character that only TOML escapes.
std::string table_toml(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items())
    text += key + " = " + report::json_text(value, -1) + "\n";
  for (auto at = text.find('\x7f'); at != std::string::npos; at = text.find('\x7f', at)) {
    text.replace(at, 1, "\\u007F");
  }
  return text;
}

Result<toml::table> parse_toml(const std::string& text, const std::string& name) {
  CAUCUS_TRY(const std::string plain, plain_toml(text, name));
  try {
    return toml::parse(plain, name);
  } catch (const toml::parse_error& error) {
    return usage_error(name + ":" + std::to_string(error.source().begin.line),
                       std::string(error.description()), "expected valid TOML");
  } catch (const TomlAssertion&) {
    return usage_error(name, "is malformed", "expected valid TOML");
  }
}

}  // namespace

Result<RunConfig> parse_config(const std::string& text, const std::string& name,
                               ServerConfig* server) {
  CAUCUS_TRY(const toml::table parsed, parse_toml(text, name));
  RunConfig config;
  ServerConfig served;
  for (const auto& [key, node] : parsed) {
    const std::string word(key.str());
    if (word == "space") {
      CAUCUS_CHECK(read_spaces(node, name, config));
      continue;
    }
    if (std::find(kTables.begin(), kTables.end(), word) == kTables.end()) {
      return unknown(place(name, node), node.is_table() ? "table" : "key outside a table:", word,
                     kTables);
    }
    if (!node.is_table()) {
      return usage_error(place(name, node), "'" + word + "' is not a table",
                         "expected [" + word + "]");
    }
    const toml::table& table = *node.as_table();
    CAUCUS_CHECK(word == "server" ? read_table(table, word, name, server_settings(), served)
                                  : read_table(table, word, name, run_settings(), config));
  }
  if (server != nullptr) *server = std::move(served);
  return config;
}

Result<RunConfig> read_config(const std::string& path, ServerConfig* server) {
  constexpr std::size_t kMost = 64U << 20U;
  CAUCUS_TRY(const std::string text, read_text(path, ErrorKind::usage, kMost));
  auto config = parse_config(text, path, server);
  if (!config.ok() && !path.ends_with(".toml")) {
    config.error().expected = "expected a configuration in TOML; data are given with --data";
  }
  return config;
}

Json config_json(const RunConfig& config, const ServerConfig* server) {
  const RunConfig resolved = config.resolved();
  Json all = Json::object();
  for (const std::string& table : kTables) {
    if (table == "space") {
      Json list = Json::array();
      for (const SpaceGroup& group : resolved.spaces) {
        list.push_back(table_json("space", space_settings(), group));
      }
      all["space"] = std::move(list);
    } else if (table == "server") {
      if (server != nullptr) all[table] = table_json(table, server_settings(), *server);
    } else if (table != "federation" || server == nullptr) {  // [federation] is for simulations
      all[table] = table_json(table, run_settings(), resolved);
    }
  }
  return all;
}

Json result_config(const RunConfig& config, const ServerConfig* server) {
  Json json = config_json(config, server);
  json["command"] = command_line();
  return json;
}

std::string config_toml(const Json& json) {
  std::string text;
  for (const auto& [table, content] : json.items()) {
    if (content.is_array()) {
      for (const Json& group : content) text += "[[" + table + "]]\n" + table_toml(group) + "\n";
    } else {
      text += "[" + table + "]\n" + table_toml(content) + "\n";
    }
  }
  text.pop_back();
  return text;
}

std::string config_toml(const RunConfig& config, const ServerConfig* server) {
  return config_toml(config_json(config, server));
}

}  // namespace caucus::cli
