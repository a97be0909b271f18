#include "caucus/wire/codec.hpp"
#include "caucus/engine/participant/test_reports.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace caucus::wire {
namespace {

SharedPlan full_plan() {
  SharedPlan plan;
  const double inf = std::numeric_limits<double>::infinity();
  plan.spaces = {Space{.radius = inf, .intercept = true},
                 Space{.kind = SpaceKind::cauchy,
                       .radius = 2.5,
                       .constraint = Constraint::box,
                       .width = 0.25,
                       .features = 7,
                       .independent_base = true},
                 Space{.kind = SpaceKind::expert, .expert = 3},
                 Space{.kind = SpaceKind::expert, .title = "tree"}};
  plan.loss = Loss(HuberLoss{0.3});
  plan.seed = 0xFEDCBA9876543210;
  plan.sample_size = 2;
  plan.rounds_per_upload = 1ULL << 40U;
  plan.features = 18;
  plan.experts = 4;
  plan.arithmetic = "avx2";
  plan.label_delay = 9;
  plan.columns = ReadOptions{"price",
                             Interval{-1.0, 1.0},
                             Interval{0.0, 1.0},
                             Ranges{{"a", "price"}, {0.1, -1e300}, {0.3, 1e300}},
                             {"2..5", "tree"},
                             true,
                             {}};
  plan.columns->encodings = {
      Encoding{.name = "a",
               .kind = Encoding::Kind::category,
               .expert = 2,
               .levels = {"x", "y"},
               .hashed = 4,
               .indicator = true},
      Encoding{.name = "when", .kind = Encoding::Kind::time, .levels = {"hour"}, .day_first = true},
      Encoding{
          .name = "price", .role = Encoding::Role::target, .fill = -2.5, .words_missing = true}};
  plan.columns->time = "when";
  plan.columns->lags = 3;
  plan.columns->impute = Impute::drop;
  return plan;
}

TEST(Codec, BringsAPlanBackAsItWas) {
  const WelcomeRecord welcome{{1, 2, 255}, 6, 1ULL << 50U, full_plan(), 3, 1ULL << 40U};
  v1::Welcome message;
  encode(welcome, message);
  v1::Welcome travelled;
  ASSERT_TRUE(travelled.ParseFromString(message.SerializeAsString()));
  const auto decoded = decode(travelled);
  ASSERT_TRUE(decoded.ok()) << decoded.error().line();
  EXPECT_EQ(decoded->run, welcome.run);
  EXPECT_EQ(decoded->client, 6U);
  EXPECT_EQ(decoded->examples, welcome.examples);
  EXPECT_EQ(decoded->start, welcome.start);
  EXPECT_EQ(decoded->since, welcome.since);
  EXPECT_EQ(plan_bytes(decoded->plan), plan_bytes(welcome.plan));
  const SharedPlan& plan = decoded->plan;
  EXPECT_EQ(plan.spaces[1].constraint, Constraint::box);
  EXPECT_EQ(plan.spaces[1].kind, SpaceKind::cauchy);
  EXPECT_TRUE(plan.spaces[0].intercept);
  EXPECT_EQ(plan.spaces[2].expert, 3U);
  EXPECT_EQ(plan.spaces[3].title, "tree");
  EXPECT_EQ(plan.loss.name(), "huber:0.3");
  EXPECT_EQ(plan.columns->ranges, welcome.plan.columns->ranges);
  EXPECT_EQ(plan.columns->encodings, welcome.plan.columns->encodings);
  EXPECT_EQ(plan.columns->time, "when");
  EXPECT_EQ(plan.columns->lags, 3U);
  EXPECT_EQ(plan.columns->impute, Impute::drop);
  EXPECT_EQ(plan.columns->target, "price");
  EXPECT_EQ(plan.columns->expert_columns, welcome.plan.columns->expert_columns);
  EXPECT_TRUE(plan.columns->experts_are_features);
}

TEST(Codec, BringsReportsBackBitForBit) {
  ReportRecord report;
  report.batch = 77;
  report.last = true;
  report.played = {4, 0.1, 0.2, 0.3, 0.4, 2, {}, -0.7};
  const TestParts parts = {{75, 1, {{3, 1e-45F, {-0.0F, 1e-40F, 3e38F}}, {0, 0.5F, {}}}},
                           {77, 3, {{1, 2.0F, {0.1F}}}}};
  report.reports = batch_of(parts);
  report.reports.mark_change();  // of the last part
  v1::Report message;
  encode(report, message);
  const ReportRecord decoded = decode(message);
  EXPECT_EQ(decoded.batch, 77U);
  EXPECT_TRUE(decoded.last);
  EXPECT_EQ(decoded.played, report.played);
  EXPECT_EQ(parts_of(decoded.reports), parts);
  EXPECT_FALSE(decoded.reports.has_change(0));
  EXPECT_TRUE(decoded.reports.has_change(1));
  EXPECT_TRUE(std::signbit(decoded.reports.directions[0][0]));
}

TEST(Codec, BringsAssignmentsAndGreetingsBack) {
  const std::vector<float> w = {1.0F, -0.0F, 1e-40F};
  Assignment assignment;
  assignment.held = {{5, w, 0.25}, {2, {}, 0.75}};
  assignment.examples = 500;
  assignment.least_after_change = 38;
  v1::Assignment message;
  encode(9, 4, assignment, message);
  const AssignmentRecord decoded = decode(message);
  EXPECT_EQ(decoded.batch, 9U);
  EXPECT_EQ(decoded.durable, 4U);
  EXPECT_EQ(decoded.examples, 500U);
  EXPECT_EQ(decoded.least_after_change, 38U);
  ASSERT_EQ(decoded.held.size(), 2U);
  EXPECT_EQ(decoded.held[0].weights, w);
  EXPECT_EQ(decoded.held[1].share, 0.75);

  const HelloRecord hello{kProtocol, "c01", "secret", "caucus", RunId{7}, true};
  v1::Hello greeting;
  encode(hello, greeting);
  const auto back = decode(greeting);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->client, "c01");
  EXPECT_EQ(back->token, "secret");
  EXPECT_EQ(back->run, hello.run);
  EXPECT_TRUE(back->resume);
}

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4U];
    text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 0xFU];
  }
  return text;
}

/// Other versions read and write these bytes. Where this fails a field has another number or type,
/// which must not be: give it a number that was never used.
TEST(Codec, MessagesHaveTheBytesOfTheFirstVersion) {
  v1::ClientMessage up;
  encode(HelloRecord{kProtocol, "c01", "t", "s", RunId{7}, true}, *up.mutable_hello());
  EXPECT_EQ(hex(up.SerializeAsString()),
            "0a21080112036330311a01742201732a10070000000000000000000000000000003001");
  encode(ReadyRecord{5, 4, 3}, *up.mutable_ready());
  EXPECT_EQ(hex(up.SerializeAsString()), "1a06080510041803");
  ReportRecord report;
  report.batch = 2;
  report.last = true;
  report.played = {3, 1.0, 2.0, 4.0, 8.0, 1};
  report.reports = batch_of({{1, 3, {{6, 0.5F, {1.0F, -2.0F}}}}});
  encode(report, *up.mutable_report());
  EXPECT_EQ(hex(up.SerializeAsString()),
            "124708021217080110031a110806150000003f1a080000803f000000c01a28080311000000000000"
            "f03f19000000000000004021000000000000104029000000000000204030012001");
  up.mutable_goodbye();
  EXPECT_EQ(hex(up.SerializeAsString()), "2200");

  v1::ServerMessage down;
  encode(WelcomeRecord{RunId{7}, 1, 9, full_plan(), 0, 0}, *down.mutable_welcome());
  EXPECT_EQ(hex(down.SerializeAsString()),
            "0ade020a10070000000000000000000000000000001001180922c5020a1611000000000000f07f21"
            "000000000000f03f286430010a1a0803110000000000000440180121000000000000d03f28073801"
            "0a18080411000000000000f03f21000000000000f03f286440030a1c080411000000000000f03f21"
            "000000000000f03f28644a0474726565120968756265723a302e331890e4d0b287d3aeeefe012002"
            "28808080808020301238044204617678324aab010a057072696365121209000000000000f0bf1100"
            "0000000000f03f1a0911000000000000f03f2212099a9999999999b93f11333333333333d33f2212"
            "099c7500883ce437fe119c7500883ce4377e3a01613a0570726963654204322e2e35420474726565"
            "48015a110a0161180220022a01782a0179300440015a100a047768656e18032a04686f757238015a"
            "140a05707269636510014900000000000004c0500162047768656e680370025009");
  down.mutable_welcome()->Clear();
  down.mutable_welcome()->set_start(2);
  down.mutable_welcome()->set_since(5);
  EXPECT_EQ(hex(down.SerializeAsString()), "0a0428023005");
  const std::vector<float> w = {1.0F};
  Assignment assignment;
  assignment.held = {{5, w, 0.25}};
  encode(9, 4, assignment, *down.mutable_assignment());
  EXPECT_EQ(hex(down.SerializeAsString()), "121708091211080511000000000000d03f1a040000803f1804");
  down.mutable_refusal()->set_batch(3);
  down.mutable_refusal()->set_why("w");
  down.mutable_refusal()->set_final(true);
  EXPECT_EQ(hex(down.SerializeAsString()),
            "1a07080312017718"
            "01");
  down.mutable_end()->set_why("w");
  EXPECT_EQ(hex(down.SerializeAsString()), "22030a0177");

  v1::StatusRequest question;
  question.set_client("c");
  question.set_token("t");
  EXPECT_EQ(hex(question.SerializeAsString()),
            "0a016312"
            "0174");
  v1::StatusReply answer;
  answer.set_json("{}");
  EXPECT_EQ(hex(answer.SerializeAsString()), "0a027b7d");
}

TEST(Codec, RefusesWhatIsNoPlan) {
  const auto refused = [](auto change) {
    v1::Welcome message;
    encode(WelcomeRecord{{}, 0, 0, full_plan(), 1, 1}, message);
    change(message);
    return !decode(message).ok();
  };
  EXPECT_FALSE(refused([](v1::Welcome&) {}));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.set_run("short"); }));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.mutable_plan()->clear_spaces(); }));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.mutable_plan()->set_loss("none"); }));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.mutable_plan()->set_rounds_per_upload(0); }));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.mutable_plan()->mutable_spaces(1)->set_width(-1); }));
  EXPECT_TRUE(refused([](v1::Welcome& w) {
    w.mutable_plan()->mutable_spaces(0)->set_kind(static_cast<v1::Space::Kind>(99));
  }));
  EXPECT_TRUE(refused([](v1::Welcome& w) { w.mutable_plan()->mutable_columns()->add_names("x"); }));
  v1::Hello hello;
  hello.set_run("too short");
  EXPECT_FALSE(decode(hello).ok());
}

}  // namespace
}  // namespace caucus::wire
