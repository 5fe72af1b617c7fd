#!/usr/bin/env python3
"""Turns public RTPS messages into the seed files of the fuzz targets.

Reads zip files of single messages and pcap or pcapng captures of UDP, drops what is longer than
--max-size or occurs twice, and writes one message a line as hexadecimal digits. With --lists it
writes the parameter lists inside the messages instead, each behind an octet that tells the target
its byte order.

    convert_corpus.py --title "Cyclone DDS, fuzz_handle_rtps_message (EPL-2.0 OR BSD-3-Clause)" \\
        messages.zip >> corpus/wire_message.hex
"""

import argparse
import struct
import zipfile


def messages_of_zip(path):
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/"):
                yield archive.read(name)


def pcap_frames(data):
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    link = struct.unpack(order + "I", data[20:24])[0]
    at = 24
    while at + 16 <= len(data):
        captured = struct.unpack(order + "I", data[at + 8:at + 12])[0]
        yield link, data[at + 16:at + 16 + captured]
        at += 16 + captured


def pcapng_frames(data):
    order, links, at = "<", [], 0
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        kind, length = struct.unpack(order + "II", data[at:at + 8])
        body = data[at + 8:at + length - 4]
        if kind == 1:
            links.append(struct.unpack(order + "H", body[:2])[0])
        elif kind == 6:
            interface, _, _, captured, _ = struct.unpack(order + "5I", body[:20])
            yield links[interface], body[20:20 + captured]
        at += length


def udp_payload(link, frame):
    header = {0: 4, 1: 14, 113: 16, 276: 20}.get(link)
    if header is None:
        raise SystemExit(f"link type {link} is not known")
    packet = frame[header:]
    if len(packet) < 28 or packet[0] >> 4 != 4 or packet[9] != 17:
        return None
    start = (packet[0] & 15) * 4
    length = struct.unpack(">H", packet[start + 4:start + 6])[0]
    return packet[start + 8:start + length]


def messages_of(path):
    if zipfile.is_zipfile(path):
        yield from messages_of_zip(path)
        return
    with open(path, "rb") as capture:
        data = capture.read()
    frames = pcapng_frames(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else pcap_frames(data)
    for link, frame in frames:
        payload = udp_payload(link, frame)
        if payload and payload[:4] == b"RTPS":
            yield payload


def list_size(data, order):
    at = 0
    while at + 4 <= len(data):
        identifier, length = struct.unpack(order + "HH", data[at:at + 4])
        at += 4
        if identifier == 1:
            return at
        at += length
    return None


def lists_of(message):
    at = 20
    while at + 4 <= len(message):
        kind, flags = message[at], message[at + 1]
        order = "<" if flags & 1 else ">"
        length = struct.unpack(order + "H", message[at + 2:at + 4])[0] or len(message) - at - 4
        body = message[at + 4:at + 4 + length]
        at += 4 + length
        if kind != 0x15 or len(body) < 20:
            continue
        rest = body[20:]
        if flags & 2:
            size = list_size(rest, order)
            if size is None:
                continue
            yield (b"\x00" if order == "<" else b"\x01") + rest[:size]
            rest = rest[size:]
        if rest[:2] in (b"\x00\x02", b"\x00\x03"):
            yield (b"\x00" if rest[1] == 3 else b"\x01") + rest[4:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", required=True, help="origin and licence, becomes a comment")
    parser.add_argument("--max-size", type=int, default=1024)
    parser.add_argument("--lists", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    print(f"# {options.title}")
    seen = set()
    for path in options.files:
        for message in messages_of(path):
            for item in lists_of(message) if options.lists else [message]:
                if item and len(item) <= options.max_size and item not in seen:
                    seen.add(item)
                    print(item.hex())


if __name__ == "__main__":
    main()
