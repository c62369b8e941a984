// The table alone. Every time is checked first: as many keys as there should be, every lookup answered rightly.
#pragma once

#include "../cells.hpp"
#include "measure.hpp"

namespace bench {

using block_table = cutsdf::block_table<space>;

/// What a list of blocks is given to the table as, and what it answers.
enum class form {
  blocks,    // blocks in, places out
  keys,      // their 64-bit keys in, places out
  keys_only  // keys in, nothing out
};

inline std::vector<cutsdf::block_key> keys_of(const std::vector<cutsdf::vec3i>& blocks)
{
  std::vector<cutsdf::block_key> keys(blocks.size());
  std::transform(blocks.begin(), blocks.end(), keys.begin(), [](cutsdf::vec3i block) { return cutsdf::key_of(block); });
  return keys;
}

/// Blocks asked for, in the space's memory, and where the answers go.
class block_list {
 public:
  block_list(const std::vector<cutsdf::vec3i>& blocks, session& s, form f = form::blocks)
    : form_(f), blocks_(std::span<const cutsdf::vec3i>(blocks), s.stream()),
      keys_(std::span<const cutsdf::block_key>(keys_of(blocks)), s.stream()), answers_(blocks_.size(), s.stream())
  {
  }

  void insert_into(block_table& table)
  {
    if (form_ == form::blocks) {
      table.insert_async(blocks_.span(), answers_.data());
    } else {
      table.insert_keys_async(keys_.span(), form_ == form::keys ? answers_.data() : nullptr);
    }
  }
  void find_in(const block_table& table) { table.find_async(blocks_.span(), answers_.data()); }

  [[nodiscard]] double size() const { return static_cast<double>(blocks_.size()); }
  /// Bytes that one question and its answer move at least.
  [[nodiscard]] double bytes_each() const
  {
    const std::size_t asked    = form_ == form::blocks ? sizeof(cutsdf::vec3i) : sizeof(cutsdf::block_key);
    const std::size_t answered = form_ == form::keys_only ? 0 : sizeof(std::uint32_t);
    return static_cast<double>(asked + answered);
  }
  /// How many of the last answers are places. Waits.
  [[nodiscard]] std::int64_t found() const
  {
    const auto all = answers_.to_host();
    return std::count_if(all.begin(), all.end(), [](std::uint32_t place) { return place < cutsdf::no_storage; });
  }

 private:
  form form_;
  cutsdf::buffer<cutsdf::vec3i, space> blocks_;
  cutsdf::buffer<cutsdf::block_key, space> keys_;
  cutsdf::buffer<std::uint32_t, space> answers_;
};

/// The blocks of every sample that the study's base cell takes along its rays, point by point: 2.88 million of 1160
/// blocks. A sample that fusion would skip, too far behind the surface, asks for the block of the one before it.
struct sample_list {
  std::vector<cutsdf::vec3i> blocks;
  std::int64_t distinct;
};
inline const sample_list& samples_of_base()
{
  static const sample_list list = [] {
    constexpr float voxel      = 0.01f;
    constexpr float truncation = band;  // both in voxels from here on
    constexpr int n            = 4;
    std::vector<cutsdf::vec3i> blocks;
    std::vector<cutsdf::block_key> keys;
    for (const cutsdf::vec3f position : sphere_points(0.5, 400, 800)) {
      const cutsdf::vec3f p = position * (1.0f / voxel);
      const float range     = cutsdf::norm(p);
      for (int s = -n; s <= n; ++s) {
        const cutsdf::vec3i at = cutsdf::voxel_at(p * (1.0f + static_cast<float>(s) / range));
        const bool skipped     = range - cutsdf::norm(cutsdf::centre_vox(at)) < -truncation;
        blocks.push_back(skipped ? blocks.back() : cutsdf::block_of(at));
        keys.push_back(cutsdf::key_of(blocks.back()));
      }
    }
    std::sort(keys.begin(), keys.end());
    const auto distinct = std::unique(keys.begin(), keys.end()) - keys.begin();
    return sample_list{std::move(blocks), distinct};
  }();
  return list;
}

/// `count` distinct blocks in no order, none of those for another `first` at least `count` away. 2^30 there are.
inline std::vector<cutsdf::vec3i> scattered_blocks(std::uint32_t first, std::int64_t count)
{
  constexpr std::uint32_t mask = (1u << 30) - 1;
  std::vector<cutsdf::vec3i> blocks;
  blocks.reserve(static_cast<std::size_t>(count));
  for (std::uint32_t i = first; i < first + static_cast<std::uint32_t>(count); ++i) {
    std::uint32_t h = i;  // each step can be undone
    h ^= h >> 15;
    h = h * 0x2c1b3c6du & mask;
    h ^= h >> 12;
    h = h * 0x297a2d39u & mask;
    h ^= h >> 15;
    const auto axis = [h](int shift) { return static_cast<std::int32_t>(h >> shift & 1023u) - 512; };
    blocks.push_back({axis(0), axis(10), axis(20)});
  }
  return blocks;
}

inline constexpr double sector_bytes = 32.0;  // the least that memory gives

/// Find or insert: every sample's block, most of them there already. Warm: all of them.
inline void time_samples(benchmark::State& state, session& s, form f, bool warm)
{
  constexpr std::int64_t slots = 1 << 15, places = 1 << 14;
  constexpr int tables = 8;
  const auto distinct  = samples_of_base().distinct;
  block_list samples(samples_of_base().blocks, s, f);
  std::vector<std::unique_ptr<block_table>> all;
  for (int i = 0; i < tables; ++i) {
    all.push_back(std::make_unique<block_table>(slots, places, s.stream()));
    samples.insert_into(*all.back());
  }
  const auto check = [&] {
    for (const auto& table : all) {
      if (table->size() != distinct) { throw refused("the table has " + std::to_string(table->size()) + " keys"); }
    }
    if (f == form::keys_only) { return; }
    if (static_cast<double>(samples.found()) != samples.size()) { throw refused("a sample has no place"); }
  };
  check();
  const double bytes = samples.size() * samples.bytes_each() + static_cast<double>(distinct) * sector_bytes;
  measure(state, s, {bytes, samples.size(), static_cast<double>(distinct)}, [&] {
    if (!warm) {
      for (auto& table : all) {
        table->clear();
      }
    }
    return s.time([&] {
      for (auto& table : all) {
        samples.insert_into(*table);
      }
    }) / tables;
  });
  check();
}

enum class asking { insert, hit, miss };

/// Distinct keys, many more than the cache holds, up to a load of the table: inserted into empty tables, looked up, or
/// others looked up. 2^22 keys in twice as many slots, or 0.9 times 2^22 keys in 2^22.
inline void time_distinct(benchmark::State& state, session& s, bool full, asking what)
{
  constexpr std::int64_t four_million = 1 << 22;
  const auto slots                    = full ? four_million : 2 * four_million;
  const auto keys                     = full ? four_million * 9 / 10 : four_million;
  const int tables                    = what == asking::insert ? 4 : 1;
  block_list inserted(scattered_blocks(0, keys), s);
  block_list absent(scattered_blocks(1u << 24, what == asking::miss ? keys : 0), s);
  std::vector<std::unique_ptr<block_table>> all;
  for (int i = 0; i < tables; ++i) {
    all.push_back(std::make_unique<block_table>(slots, slots, s.stream()));
    inserted.insert_into(*all.back());
  }
  const auto check = [&] {
    for (const auto& table : all) {
      if (table->size() != keys) { throw refused("the table has " + std::to_string(table->size()) + " keys"); }
    }
    if (what != asking::miss && inserted.found() != keys) { throw refused("a key has no place"); }
    if (what == asking::miss && absent.found() != 0) { throw refused("an absent key was found"); }
  };
  const auto ask = [&](block_table& table) {
    switch (what) {
      case asking::insert:
        inserted.insert_into(table);
        break;
      case asking::hit:
        inserted.find_in(table);
        break;
      case asking::miss:
        absent.find_in(table);
        break;
    }
  };
  ask(*all.front());
  check();
  constexpr int lookups = 8;  // in a window, of one table: it is larger than the cache
  const int rounds      = what == asking::insert ? 1 : lookups;
  const double per_key =
    inserted.bytes_each() + sector_bytes + (what == asking::insert ? sizeof(cutsdf::block_key) : 0);
  const double asked = static_cast<double>(keys);
  measure(state, s, {asked * per_key, asked, asked}, [&] {
    if (what == asking::insert) {
      for (auto& table : all) {
        table->clear();
      }
    }
    return s.time([&] {
      for (int round = 0; round < rounds; ++round) {
        for (auto& table : all) {
          ask(*table);
        }
      }
    }) / (rounds * tables);
  });
  check();
}

inline void add_table(session& s)
{
  const auto add_samples = [&](const std::string& name, form f) {
    for (const bool warm : {false, true}) {
      add("table/" + name + (warm ? "/warm" : "/cold"), 8,
          [&s, f, warm](benchmark::State& state) { time_samples(state, s, f, warm); });
    }
  };
  add_samples("samples-2.88M", form::blocks);
  add_samples("samples-2.88M-keys", form::keys);
  add_samples("samples-2.88M-keys-only", form::keys_only);
  for (const bool full : {false, true}) {
    const std::string name = std::string("table/load-") + (full ? "0.9" : "0.5");
    const auto add_one     = [&](const char* what, asking which) {
      add(name + what, 8, [&s, full, which](benchmark::State& state) { time_distinct(state, s, full, which); });
    };
    add_one("/insert", asking::insert);
    add_one("/find-hit", asking::hit);
    add_one("/find-miss", asking::miss);
  }
}

}  // namespace bench
