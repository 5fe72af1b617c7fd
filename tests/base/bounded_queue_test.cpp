#include "base/bounded_queue.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <memory>
#include <thread>

using namespace durability;
using namespace std::chrono_literals;

TEST_CASE("items come out in the order in which they went in") {
    BoundedQueue<int> queue(10, 100);
    for (int item = 0; item < 5; ++item)
        REQUIRE(queue.try_push(item, 1));
    CHECK(queue.size() == 5);
    CHECK(queue.pop_all() == std::vector<int>{0, 1, 2, 3, 4});
    CHECK(queue.size() == 0);
}

TEST_CASE("a refused item stays with the caller and the queue is as before") {
    BoundedQueue<std::unique_ptr<int>> queue(2, 100);
    for (int i = 0; i < 2; ++i) {
        auto item = std::make_unique<int>(i);
        REQUIRE(queue.try_push(item, 1));
        CHECK(item == nullptr);
    }
    auto refused = std::make_unique<int>(2);
    CHECK_FALSE(queue.try_push(refused, 1));
    REQUIRE(refused != nullptr);
    CHECK(*refused == 2);
    CHECK(queue.size() == 2);
}

TEST_CASE("weight is bounded, given back by popping, and does not leak over many rounds") {
    BoundedQueue<int> queue(100, 10);
    for (int round = 0; round < 1000; ++round) {
        int item = round;
        REQUIRE(queue.try_push(item, 6));
        REQUIRE_FALSE(queue.try_push(item, 5));
        REQUIRE(queue.try_push(item, 4));
        REQUIRE(queue.pop_all().size() == 2);
    }
}

TEST_CASE("an item heavier than the bound passes through an empty queue only") {
    BoundedQueue<int> queue(10, 10);
    int item = 1;
    CHECK(queue.try_push(item, 1000));
    CHECK_FALSE(queue.try_push(item, 1));
    CHECK(queue.pop_all().size() == 1);
    CHECK(queue.try_push(item, 1));
    CHECK_FALSE(queue.try_push(item, 1000));
}

TEST_CASE("a command that must not be refused goes past the bounds until the queue is closed") {
    BoundedQueue<int> queue(1, 1);
    int item = 0;
    REQUIRE(queue.try_push(item, 1));
    CHECK(queue.push_always(1));
    CHECK(queue.size() == 2);
    queue.close();
    CHECK_FALSE(queue.push_always(2));
    CHECK_FALSE(queue.try_push(item, 0));
}

TEST_CASE("a closed queue gives out what it holds and then nothing") {
    BoundedQueue<int> queue(10, 10);
    int item = 7;
    REQUIRE(queue.try_push(item, 1));
    queue.close();
    CHECK(queue.closed());
    CHECK(queue.pop_all() == std::vector<int>{7});
    CHECK(queue.pop_all().empty());
}

TEST_CASE("waiting with a time limit ends without an item") {
    BoundedQueue<int> queue(10, 10);
    CHECK(queue.pop_all_for(1ms).empty());
}

TEST_CASE("closing wakes a consumer that waits") {
    BoundedQueue<int> queue(10, 10);
    std::atomic<bool> ended{false};
    std::thread consumer([&] {
        while (!queue.pop_all().empty()) {
        }
        ended = true;
    });
    queue.close();
    consumer.join();
    CHECK(ended);
}

TEST_CASE("every item of several producers arrives once and in the order of its producer") {
    constexpr int producers = 4;
    constexpr int per_producer = 5000;
    BoundedQueue<std::pair<int, int>> queue(64, 64);
    std::vector<std::thread> threads;
    for (int producer = 0; producer < producers; ++producer) {
        threads.emplace_back([&queue, producer] {
            for (int number = 0; number < per_producer; ++number) {
                std::pair<int, int> item{producer, number};
                while (!queue.try_push(item, 1))
                    std::this_thread::yield();
            }
        });
    }
    std::vector<int> next(producers, 0);
    bool in_order = true;
    int received = 0;
    while (received < producers * per_producer) {
        for (const auto& [producer, number] : queue.pop_all()) {
            in_order = in_order && number == next[static_cast<std::size_t>(producer)]++;
            ++received;
        }
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(in_order);
    CHECK(queue.size() == 0);
}
