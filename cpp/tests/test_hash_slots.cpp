#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "suffice/hash_slots.hpp"

using namespace suffice;

namespace {

struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = 0;
    bool taken() const { return number != 0; }
};

// Inserts keys whose hashes often collide, removes some in reverse order, and looks up all of them each time.
template <HashBits bits>
void check_against_map(std::uint64_t hashes, unsigned seed) {
    std::mt19937_64 random(seed);
    HashSlots<Slot, std::allocator<Slot>, bits> slots(2);
    std::vector<std::uint64_t> keys;
    std::map<std::uint64_t, std::uint32_t> expected;
    const auto hash_of = [&](std::uint64_t key) { return (key % hashes) << (bits == HashBits::highest ? 58 : 0); };
    const auto at = [&](std::uint64_t key) {
        return slots.find(hash_of(key), [key](const Slot& slot) { return slot.key == key; });
    };
    for (int step = 0; step < 300; ++step) {
        if (random() % 3 != 0 || keys.empty()) {
            const std::uint64_t key = random() % 500;
            if (slots[at(key)].taken()) continue;
            keys.push_back(key);
            expected[key] = static_cast<std::uint32_t>(keys.size());
            if (slots.room_for(keys.size())) {
                slots.put(hash_of(key), {key, expected[key]});
            } else {
                slots.reset(2 * slots.size());
                for (const std::uint64_t known : keys) slots.put(hash_of(known), {known, expected[known]});
            }
        } else {
            const std::uint64_t last = keys.back();
            slots.take_back(hash_of(last), [last](const Slot& slot) { return slot.key == last; });
            expected.erase(last);
            keys.pop_back();
        }
        for (std::uint64_t key = 0; key < 500; ++key) {
            const Slot& slot = slots[at(key)];
            CHECK_EQUAL(slot.taken(), expected.contains(key));
            if (slot.taken()) CHECK_EQUAL(slot.number, expected[key]);
        }
    }
    slots.reset(slots.size());
    for (const std::uint64_t key : keys) CHECK(!slots[at(key)].taken());
}

}  // namespace

TEST(slots_find_inserted_keys_and_no_removed_ones) {
    for (const std::uint64_t hashes : {1, 5, 64})
        for (unsigned seed = 0; seed < 4; ++seed) {
            check_against_map<HashBits::lowest>(hashes, seed);
            check_against_map<HashBits::highest>(hashes, seed);
        }
}

TEST(a_tag_is_never_that_of_a_free_slot) {
    CHECK(!TaggedSlot{}.taken());
    CHECK(TaggedSlot(0, 7).taken());
    CHECK_EQUAL(TaggedSlot(0, 7).place, 7u);
}
