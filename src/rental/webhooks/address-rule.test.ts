import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./address-rule.ts";

describe("an address of the public internet", () => {
  it.each(["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001:81b::200e"])(
    "is delivered to: %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe("any other address", () => {
  const others = {
    "this host": ["0.0.0.0", "0.1.2.3", "::"],
    loopback: ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
    private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "fec0::1"],
    "link-local, with the metadata of clouds": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
    "multicast and broadcast": ["224.0.0.1", "239.1.1.1", "255.255.255.255", "ff02::1"],
    reserved: ["192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.9", "240.0.0.1", "2001:db8::1"],
    "IPv4 in IPv6": [
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:8.8.8.8",
      "::127.0.0.1",
      "::ffff:0:127.0.0.1",
      "64:ff9b::127.0.0.1",
      "64:ff9b::a00:1",
      "64:ff9b:1::7f00:1",
      "2002:7f00:1::",
      "2002:c0a8:101::1",
      "2001:0:7f00:1::",
    ],
    "outside of what is given out": ["4000::1", "100::1", "5f00::1", "3fff::1"],
    "no address": [
      "",
      "localhost",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "1.2.3.4.5",
      "8.8.8.8 ",
      "[::1]",
    ],
  };
  for (const [what, addresses] of Object.entries(others)) {
    it.each(addresses)(`is not (${what}): %s`, (address) => expect(isPublicAddress(address)).toBe(false));
  }
});
