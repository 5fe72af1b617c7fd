// Notice that addresses or interfaces of this machine changed (cases R11.1, R11.2). Loop thread.
#pragma once

#include "durability/error.hpp"
#include "net/asio.hpp"

#include <functional>
#include <memory>

namespace durability::net {

class AddressWatch {
  public:
    // `changed` is called on the loop some time after something changed, once for what comes in
    // quick succession; what is there now is read with system_interfaces(). Also called now and
    // then without a change that matters. Errors: io.
    static Result<std::unique_ptr<AddressWatch>> open(boost::asio::io_context& context,
                                                      std::function<void()> changed);
    AddressWatch(const AddressWatch&) = delete;
    AddressWatch& operator=(const AddressWatch&) = delete;
    ~AddressWatch();

    // `changed` is called once more in a moment.
    void look_again();
    // Nothing is called any more.
    void close();

  private:
    AddressWatch(boost::asio::io_context& context, int fd, std::function<void()> changed);
    void arm();
    void drain();

    boost::asio::posix::stream_descriptor descriptor_;
    boost::asio::steady_timer timer_;
    std::function<void()> changed_;
    // Handlers outlive this object by one turn; they look here first.
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    bool due_{false};
};

}  // namespace durability::net
