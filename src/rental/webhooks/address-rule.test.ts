import { describe, expect, it } from "vitest";
import { addressRule } from "./address-rule.ts";

const isDelivered = addressRule({ allowPrivateTargets: false });

describe("an address of the public internet", () => {
  it.each(["8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001:81b::200e"])(
    "is delivered to: %s",
    (address) => expect(isDelivered(address)).toBe(true),
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
    "special-purpose by IANA's registries": [
      "192.88.99.1",
      "192.31.196.1",
      "192.52.193.1",
      "192.175.48.1",
      "2001:1::1",
      "2001:20::1",
      "2620:4f:8000::1",
      "3fff:1::1",
    ],
    "a platform address of a public cloud": [
      "168.63.129.16",
      "161.26.0.10",
      "166.9.14.16",
      "199.36.153.4",
      "199.36.153.11",
      "34.126.10.1",
      "2600:2d00:2:1000::1",
    ],
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
    it.each(addresses)(`is not (${what}): %s`, (address) => expect(isDelivered(address)).toBe(false));
  }
});

describe("networks that the operator denies", () => {
  const allowPrivateTargets = true;

  it("are by default the platform addresses of public clouds, also where private targets are allowed", () => {
    const rule = addressRule({ allowPrivateTargets });
    for (const address of ["10.0.0.1", "127.0.0.1", "fd12::1", "168.63.129.15"]) expect(rule(address)).toBe(true);
    for (const address of ["168.63.129.16", "169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192"]) {
      expect([address, rule(address)]).toEqual([address, false]);
    }
  });

  it("are denied in every form of IPv6 that stands for an IPv4 address", () => {
    const rule = addressRule({ allowPrivateTargets });
    for (const address of ["::ffff:168.63.129.16", "64:ff9b::168.63.129.16", "2002:a83f:8110::1"]) {
      expect([address, rule(address)]).toEqual([address, false]);
    }
    expect(rule("::ffff:168.63.129.17")).toBe(true);
  });

  it("replace the default, or add to it", () => {
    const own = addressRule({ allowPrivateTargets: false, deniedNetworks: ["8.8.8.0/24", "2606:4700::/32"] });
    for (const address of ["8.8.8.8", "2606:4700::1111", "10.0.0.1"]) expect(own(address)).toBe(false);
    for (const address of ["8.8.4.4", "168.63.129.16"]) expect(own(address)).toBe(true);
    const more = addressRule({ allowPrivateTargets: false, deniedNetworks: ["default", "8.8.8.8/32"] });
    for (const address of ["8.8.8.8", "168.63.129.16"]) expect(more(address)).toBe(false);
    expect(addressRule({ allowPrivateTargets, deniedNetworks: [] })("169.254.169.254")).toBe(true);
  });
});
