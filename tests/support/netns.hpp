// A network of its own for a test program: everything DDS sends stays inside it.
#pragma once

namespace durability::test {

// Moves the calling process into a new network namespace whose only interface is a loopback that
// can multicast (route 224.0.0.0/4 included). As root directly, otherwise within a user namespace.
// Call it first in main, before any thread exists; children inherit it. Ends the program with a
// message when it cannot: a DDS test must never run on a network somebody else uses.
void enter_private_network();

}  // namespace durability::test
