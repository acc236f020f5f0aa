import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { addressGroup, createClientAddress } from "./client-address.ts";

/** The address of a request over a connection from `peer`, through proxies that wrote this X-Forwarded-For. */
function addressOf(trusted: readonly string[], peer: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const socket = { remoteAddress: peer } as IncomingMessage["socket"]; // all that is read of it
  return createClientAddress(trusted)({ headers, socket });
}

describe("without trusted proxies a request comes from", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8::1", "2001:db8::1"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::1", "::1"],
  ])("the other end of its connection: %s is %s", (peer, address) => {
    expect(addressOf([], peer)).toBe(address);
    expect(addressOf([], peer, "203.0.113.9")).toBe(address);
  });

  it("nowhere when the connection is gone already", () => {
    expect(addressOf([], undefined)).toBe("");
    expect(addressOf(["10.0.0.0/8"], undefined, "203.0.113.9")).toBe("");
  });
});

describe("behind trusted proxies a request comes from", () => {
  const trusted = ["10.0.0.0/8", "2001:db8:aa::/48", "192.0.2.1"];

  it.each([
    ["10.1.2.3", "203.0.113.9", "203.0.113.9"],
    ["::ffff:10.1.2.3", "203.0.113.9", "203.0.113.9"],
    ["2001:db8:aa::5", "2001:db8:ff::1", "2001:db8:ff::1"],
    ["192.0.2.1", "203.0.113.9", "203.0.113.9"],
    ["192.0.2.2", "203.0.113.9", "192.0.2.2"],
    // Each proxy adds whom it was asked by; what a client wrote itself stands on the left of that.
    ["10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
    ["10.1.2.3", "203.0.113.9, 10.9.9.9", "203.0.113.9"],
    ["10.1.2.3", "198.51.100.1,203.0.113.9 ,  10.9.9.9,192.0.2.1", "203.0.113.9"],
    ["10.1.2.3", "10.8.8.8, 10.9.9.9", "10.8.8.8"],
    ["10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
    ["10.1.2.3", "203.0.113.9:4711", "203.0.113.9"],
    ["10.1.2.3", "[2001:db8:ff::1]:4711", "2001:db8:ff::1"],
    ["10.1.2.3", "[2001:db8:ff::1]", "2001:db8:ff::1"],
  ])("the right-most address that is not one: %s with %j is %s", (peer, forwarded, address) => {
    expect(addressOf(trusted, peer, forwarded)).toBe(address);
  });

  it.each([
    "",
    " ",
    "unknown",
    "_hidden",
    "203.0.113.999",
    "1",
    "0x7f.1",
    "203.0.113.9, nonsense",
    "203.0.113.9,",
    "x".repeat(10_000),
    ",".repeat(10_000),
  ])("the last proxy that is known, where the header says nothing: %#", (forwarded) => {
    expect(addressOf(trusted, "10.1.2.3", forwarded)).toBe("10.1.2.3");
  });

  it("the proxy itself where it forwarded nothing", () => {
    expect(addressOf(trusted, "10.1.2.3")).toBe("10.1.2.3");
  });

  it("nobody of the other family: an IPv6 address is in no network of IPv4", () => {
    expect(addressOf(["0.0.0.0/0"], "2001:db8::1", "203.0.113.9")).toBe("2001:db8::1");
  });
});

describe("a limit counts as one", () => {
  it("an address of IPv4", () => {
    expect(addressGroup("192.0.2.7")).toBe("192.0.2.7");
    expect(addressGroup("192.0.2.7")).not.toBe(addressGroup("192.0.2.8"));
    expect(addressGroup("")).toBe("");
  });

  it("the /64 of an address of IPv6, however it is written", () => {
    const group = addressGroup("2001:db8:1:2::1");
    expect(addressGroup("2001:db8:1:2:ffff:ffff:ffff:ffff")).toBe(group);
    expect(addressGroup("2001:0db8:0001:0002:0:0:0:9")).toBe(group);
    expect(addressGroup("2001:db8:1:3::1")).not.toBe(group);
  });
});
