// What publish.cpp and subscribe.cpp need of a DDS implementation. Each vendor's program implements
// these few classes; everything a test sees is printed by code the two share.
#pragma once

#include "options.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace peer {

struct Received {
    std::uint32_t id{};
    std::uint32_t seq{};  // meaningful in valid samples only, like the payload
    std::span<const std::uint8_t> payload;
    std::int64_t source_ns{};
    bool valid{};
    bool right{
        true};  // false: some other member is not what a writer of this id and seq puts there
    std::string_view state;        // alive, disposed or no_writers
    std::string_view publication;  // GUID of the writer it came from, hexadecimal where known
};

// Told of what happens to an endpoint, from the middleware's threads. Implementations lock for
// themselves and outlive the endpoint.
class Watcher {
  public:
    Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    virtual ~Watcher() = default;

    virtual void matched(std::int32_t current, std::int32_t change) = 0;
    virtual void data_available() = 0;
    virtual void status(std::string_view text) = 0;
};

class Writer {
  public:
    Writer() = default;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    virtual ~Writer() = default;

    // Each answers an empty string, or why not.
    virtual std::string write(std::uint32_t id,
                              std::uint32_t seq,
                              std::span<const std::uint8_t> payload) = 0;
    virtual std::string dispose(std::uint32_t id) = 0;
    // A sample and its instance's end in one.
    virtual std::string write_dispose(std::uint32_t id,
                                      std::uint32_t seq,
                                      std::span<const std::uint8_t> payload) = 0;
    virtual std::string unregister(std::uint32_t id) = 0;
    virtual void flush() = 0;
    // False when `timeout` passed first.
    virtual bool wait_acks(std::chrono::milliseconds timeout) = 0;
};

class Reader {
  public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;

    // Takes everything there is. The views in a Received live during the call only.
    virtual void take(const std::function<void(const Received&)>& each) = 0;
};

class Participant {
  public:
    Participant() = default;
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;
    virtual ~Participant() = default;

    // Never null: what the middleware refuses ends the process with a message.
    virtual std::unique_ptr<Writer> create_writer(Watcher& watcher) = 0;
    virtual std::unique_ptr<Reader> create_reader(Durability durability, Watcher& watcher) = 0;
};

using Connect = std::function<std::unique_ptr<Participant>(const Options&)>;

int publish(const Options& options, const Connect& connect);
int subscribe(const Options& options, const Connect& connect);

// The whole of main().
int run_peer(int argc, char** argv, const Connect& connect);

}  // namespace peer
