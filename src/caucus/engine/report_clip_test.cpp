#include "caucus/engine/report_clip.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace caucus {
namespace {

const std::vector<float> kDirection = {1.0F, 2.0F};

ReportBatch reports_of(const std::vector<float>& losses) {
  ReportBatch reports;
  for (std::uint32_t j = 0; j < losses.size(); ++j) {
    reports.add_report(j, 4);
    reports.add_model(0, losses[j], 1.0F, kDirection);
  }
  return reports;
}

TEST(ReportClip, LeavesUsualLossesAlone) {
  ReportClip clip(Robust::clip);
  for (int batch = 0; batch < 5; ++batch) {
    ReportBatch reports = reports_of({1.0F, 2.0F, 3.0F, 1.5F, 6.0F});
    clip.clip(reports);
    EXPECT_EQ(reports.losses, std::vector<float>({1.0F, 2.0F, 3.0F, 1.5F, 6.0F}));
    EXPECT_EQ(reports.factors, std::vector<float>(5, 1.0F));
    clip.close();
  }
}

TEST(ReportClip, ClipsALossToAMultipleOfTheMedianAndItsGradientWithIt) {
  ReportClip clip(Robust::clip);
  ReportBatch usual = reports_of({1.0F, 1.0F, 1.0F});
  clip.clip(usual);
  clip.close();
  ReportBatch reports = reports_of({1.0F, 28.0F, 1.0F});
  clip.clip(reports);
  // m = 1 and k = 5 + 4 / 2; the level of the client is 1 + 0.1 (28 - 1), below 4 m.
  EXPECT_FLOAT_EQ(reports.losses[1], 7.0F);
  EXPECT_FLOAT_EQ(reports.factors[1], 0.5F);
}

TEST(ReportClip, TrustsAClientLessWhoseLossesAreAlwaysLarge) {
  ReportClip clip(Robust::clip);
  ReportBatch first = reports_of({1.0F, 8.0F, 1.0F});
  clip.clip(first);
  EXPECT_EQ(first.losses[1], 8.0F);  // nothing is known yet
  clip.close();
  ReportBatch reports = reports_of({1.0F, 8.0F, 1.0F});
  clip.clip(reports);
  // f = (4 / 8)^2, and the loss counts as 1 + f (7 - 1).
  EXPECT_FLOAT_EQ(reports.losses[1], 2.5F);
  EXPECT_FLOAT_EQ(reports.factors[1], 0.25F * std::sqrt(7.0F / 8.0F));
}

TEST(ReportClip, TrimLeavesOutAQuarterOfTheClients) {
  ReportClip trim(Robust::trim);
  ReportBatch first = reports_of({1.0F, 1.2F, 3.0F, 1.1F, 2.0F});
  trim.clip(first);
  trim.close();
  ReportBatch reports = reports_of({1.0F, 1.2F, 3.0F, 1.1F, 2.0F});
  trim.clip(reports);
  // Two of five are left out, so that their losses are m, and no others are changed.
  EXPECT_EQ(reports.losses, std::vector<float>({1.0F, 1.2F, 1.2F, 1.1F, 1.2F}));
  EXPECT_EQ(reports.factors, std::vector<float>({1.0F, 1.0F, 0.0F, 1.0F, 0.0F}));
}

TEST(ReportClip, TrimGoesOnAsItWasAfterItWasStored) {
  ReportClip trim(Robust::trim);
  ReportBatch first = reports_of({1.0F, 1.2F, 3.0F, 1.1F, 2.0F});
  trim.clip(first);
  trim.close();
  StateWriter writer;
  trim.save(writer);
  ReportClip restored(Robust::trim);
  StateReader reader(writer.bytes(), "test");
  ASSERT_TRUE(restored.restore(reader).ok());
  ReportBatch reports = reports_of({1.0F, 1.2F, 3.0F, 1.1F, 2.0F});
  restored.clip(reports);
  EXPECT_EQ(reports.factors, std::vector<float>({1.0F, 1.0F, 0.0F, 1.0F, 0.0F}));
}

TEST(ReportClip, GoesOnAsItWasAfterItWasStored) {
  ReportClip clip(Robust::clip);
  ReportBatch first = reports_of({1.0F, 8.0F, 2.0F});
  clip.clip(first);
  clip.close();
  StateWriter writer;
  clip.save(writer);
  ReportClip restored(Robust::clip);
  StateReader reader(writer.bytes(), "test");
  ASSERT_TRUE(restored.restore(reader).ok());
  ReportBatch one = reports_of({1.0F, 40.0F, 2.0F});
  ReportBatch other = reports_of({1.0F, 40.0F, 2.0F});
  clip.clip(one);
  restored.clip(other);
  EXPECT_EQ(one.losses, other.losses);
  EXPECT_EQ(one.factors, other.factors);
}

TEST(ReportClip, RoundsAGradientThatIsWrittenOutAndOneThatIsNotAlike) {
  const std::vector<float> features = {0.1F, 0.7F};
  const float derivative = 0.3F;
  const auto clipped = [&](bool is_written_out) {
    ReportClip clip(Robust::clip);
    ReportBatch usual = reports_of({1.0F, 1.0F, 1.0F});
    clip.clip(usual);
    clip.close();
    ReportBatch reports;
    reports.add_report(0, 1);
    const std::vector<float> product = {derivative * features[0], derivative * features[1]};
    if (is_written_out) {
      reports.add_model(0, 31.0F, 1.0F, product);
    } else {
      reports.add_model(0, 31.0F, derivative, features);
    }
    clip.clip(reports);
    const auto direction = reports.direction(0);
    const float factor = reports.factors[0];
    return std::vector<float>{factor * direction[0], factor * direction[1]};
  };
  EXPECT_EQ(clipped(true), clipped(false));
}

}  // namespace
}  // namespace caucus
