// Writer and reader of the Cyclone DDS peer for any generated type.
#pragma once

#include "endpoint.hpp"
#include "output.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>

#include <dds/dds.h>

namespace peer {

// Access says how samples of a type are made and read:
//   Sample                                     the C structure
//   static void fill(Sample&, id, seq, payload)
//   static void release(Sample&)               frees what fill() allocated
//   static void read(const Sample&, Received&) sets the id, and the rest of a valid sample
template <class Access>
class CycloneWriter final : public Writer {
  public:
    explicit CycloneWriter(dds_entity_t writer) : writer_(writer) {}
    ~CycloneWriter() override { dds_delete(writer_); }

    std::string write(std::uint32_t id,
                      std::uint32_t seq,
                      std::span<const std::uint8_t> payload) override {
        return with_sample(id, seq, payload, dds_write);
    }
    std::string dispose(std::uint32_t id) override { return with_sample(id, 0, {}, dds_dispose); }
    std::string write_dispose(std::uint32_t id,
                              std::uint32_t seq,
                              std::span<const std::uint8_t> payload) override {
        return with_sample(id, seq, payload, dds_writedispose);
    }
    std::string unregister(std::uint32_t id) override {
        return with_sample(id, 0, {}, dds_unregister_instance);
    }
    void flush() override { dds_write_flush(writer_); }
    bool wait_acks(std::chrono::milliseconds timeout) override {
        return dds_wait_for_acks(writer_, DDS_MSECS(timeout.count())) == DDS_RETCODE_OK;
    }

  private:
    std::string with_sample(std::uint32_t id,
                            std::uint32_t seq,
                            std::span<const std::uint8_t> payload,
                            dds_return_t (*operation)(dds_entity_t, const void*)) {
        typename Access::Sample sample{};
        Access::fill(sample, id, seq, payload);
        const dds_return_t code = operation(writer_, &sample);
        Access::release(sample);
        return code == DDS_RETCODE_OK ? std::string() : std::string(dds_strretcode(code));
    }

    dds_entity_t writer_;
};

inline std::string_view name(dds_instance_state_t state) {
    switch (state) {
        case DDS_IST_ALIVE:
            return "alive";
        case DDS_IST_NOT_ALIVE_DISPOSED:
            return "disposed";
        case DDS_IST_NOT_ALIVE_NO_WRITERS:
            return "no_writers";
    }
    return "unknown";
}

template <class Access>
class CycloneReader final : public Reader {
  public:
    explicit CycloneReader(dds_entity_t reader) : reader_(reader) {}
    ~CycloneReader() override { dds_delete(reader_); }

    void take(const std::function<void(const Received&)>& each) override {
        while (take_batch(each) > 0) {
        }
    }

  private:
    static constexpr std::int32_t batch = 512;

    std::int32_t take_batch(const std::function<void(const Received&)>& each) {
        std::array<void*, batch> samples{};  // the first null asks for a loan
        std::array<dds_sample_info_t, batch> infos{};
        const dds_return_t n =
            dds_take(reader_, samples.data(), infos.data(), samples.size(), batch);
        if (n < 0) fail(exit_middleware, fmt::format("take: {}", dds_strretcode(n)));
        for (std::int32_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto& info = infos[at];
            Received received;
            received.valid = info.valid_data;
            Access::read(*static_cast<const typename Access::Sample*>(samples[at]), received);
            received.source_ns = info.source_timestamp;
            received.state = name(info.instance_state);
            received.publication = guid_of(info.publication_handle);
            each(received);
        }
        if (n > 0) dds_return_loan(reader_, samples.data(), n);
        return n;
    }

    const std::string& guid_of(dds_instance_handle_t writer) {
        const auto known = guids_.find(writer);
        if (known != guids_.end()) return known->second;
        std::string text;
        // A writer that has left cannot be looked up any more; its handle then stands for it.
        if (auto* endpoint = dds_get_matched_publication_data(reader_, writer)) {
            for (const auto octet : endpoint->key.v)
                text += fmt::format("{:02x}", octet);
            dds_builtintopic_free_endpoint(endpoint);
        } else {
            text = fmt::format("handle-{:x}", writer);
        }
        return guids_.emplace(writer, std::move(text)).first->second;
    }

    dds_entity_t reader_;
    std::map<dds_instance_handle_t, std::string> guids_;
};

}  // namespace peer
