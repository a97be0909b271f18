#include "joining/join_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "caucus/data/files/text_file.hpp"

namespace caucus::cli {
namespace {

const JoinIdentity kSomebody{{1, 0xAB, 3}, "c01", 0xFEDCBA9876543210U};

class JoinStateFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string text() const {
    return read_text(path_, ErrorKind::data, 1U << 20U).value();
  }
  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
  }
  [[nodiscard]] JoinState reload() const {
    auto state = JoinState::load(path_);
    EXPECT_TRUE(state.ok()) << state.error().line();
    return std::move(**state);
  }

  std::string path_ = testing::TempDir() + "join-state-" + std::to_string(::getpid());
};

TEST_F(JoinStateFile, IsNotThereAtFirst) {
  const auto state = JoinState::load(path_);
  ASSERT_TRUE(state.ok());
  EXPECT_FALSE(*state);
}

TEST_F(JoinStateFile, OnlyItsOwnerCanReadIt) {
  ASSERT_TRUE(JoinState::create(path_, kSomebody, 7).ok());
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(JoinStateFile, RemembersWhichRowsWereUsed) {
  {
    auto state = JoinState::create(path_, kSomebody, 7);
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(state->next_row(), 7U);
    ASSERT_TRUE(state->use(3, {7, 10}).ok());
    ASSERT_TRUE(state->use(4, {10, 13}).ok());
  }
  auto state = reload();
  EXPECT_EQ(state.identity(), kSomebody);
  EXPECT_EQ(state.next_row(), 13U);
  EXPECT_EQ(state.rows_of(3), (UsedRows{7, 10}));
  EXPECT_EQ(state.rows_of(4), (UsedRows{10, 13}));
  EXPECT_FALSE(state.rows_of(5));
  ASSERT_TRUE(state.use(5, {13, 13}).ok());
  EXPECT_EQ(reload().rows_of(5), (UsedRows{13, 13}));
  JoinState::remove(path_);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JoinStateFile, IsNotTouchedByThoseWhoOnlyRead) {
  auto state = JoinState::create(path_, kSomebody, 7);
  ASSERT_TRUE(state->use(3, {7, 10}).ok());
  ASSERT_TRUE(state->keep_personal("layer").ok());
  write(text() + "4 10 13");  // a line that its client has not completed
  const std::string before = text();
  const auto seen = JoinState::read(path_);
  ASSERT_TRUE(seen.ok()) << seen.error().line();
  EXPECT_EQ((*seen)->next_row(), 10U);
  EXPECT_EQ((*seen)->personal(), "layer");
  EXPECT_EQ(text(), before);
}

TEST_F(JoinStateFile, RemovesOnlyTheFileThatItWrote) {
  const auto first = JoinState::create(path_, kSomebody, 0);
  {
    auto second = JoinState::create(path_, kSomebody, 0);  // as another process of the same name
    ASSERT_TRUE(second->use(1, {0, 5}).ok());
    first->remove_own();
    EXPECT_EQ(reload().next_row(), 5U);  // which writes it anew
    second->remove_own();
    EXPECT_TRUE(std::filesystem::exists(path_));
  }
  reload().remove_own();
  EXPECT_FALSE(std::filesystem::exists(path_));
  first->remove_own();  // nothing is there
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(JoinStateFile, RemembersThatTheServerHasAll) {
  {
    auto state = JoinState::create(path_, kSomebody, 0);
    ASSERT_TRUE(state->use(1, {0, 5}).ok());
    EXPECT_FALSE(reload().finished());
  }
  auto state = reload();
  ASSERT_TRUE(state.finish().ok());
  EXPECT_TRUE(state.finished());
  EXPECT_TRUE(reload().finished());  // which writes it anew
  EXPECT_TRUE(reload().finished());
  EXPECT_EQ(reload().next_row(), 5U);
}

TEST_F(JoinStateFile, IgnoresALastLineThatIsTorn) {
  {
    auto state = JoinState::create(path_, kSomebody, 0);
    ASSERT_TRUE(state->use(1, {0, 5}).ok());
    ASSERT_TRUE(state->use(2, {5, 10}).ok());
  }
  const std::string whole = text();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    auto state = reload();
    EXPECT_EQ(state.next_row(), 5U) << size;
    EXPECT_FALSE(state.rows_of(2));
    ASSERT_TRUE(state.use(2, {5, 9}).ok());  // the torn end is not in the way
    EXPECT_EQ(reload().rows_of(2), (UsedRows{5, 9}));
  }
}

TEST_F(JoinStateFile, RefusesWhatIsDamaged) {
  {
    auto state = JoinState::create(path_, kSomebody, 0);
    ASSERT_TRUE(state->use(1, {0, 5}).ok());
    ASSERT_TRUE(state->use(2, {5, 10}).ok());
  }
  const std::string whole = text();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t k = 0; k < last; ++k) {
    std::string changed = whole;
    changed[k] = static_cast<char>(changed[k] ^ 1);
    write(changed);
    EXPECT_FALSE(JoinState::load(path_).ok()) << k;
  }
  for (const char* text : {"", "\n", "something else\n"}) {
    write(text);
    EXPECT_FALSE(JoinState::load(path_).ok()) << text;
  }
}

TEST_F(JoinStateFile, DoesNotGrowForEver) {
  auto state = JoinState::create(path_, kSomebody, 0);
  for (std::uint64_t batch = 1; batch <= 20'000; ++batch) {
    ASSERT_TRUE(state->use(batch, {batch - 1, batch}).ok());
    ASSERT_TRUE(state->forget_up_to(batch < 10 ? 0 : batch - 10).ok());
  }
  EXPECT_LT(std::filesystem::file_size(path_), 400'000U);
  auto again = reload();
  EXPECT_EQ(again.next_row(), 20'000U);
  EXPECT_EQ(again.rows_of(20'000), (UsedRows{19'999, 20'000}));
}

}  // namespace
}  // namespace caucus::cli
