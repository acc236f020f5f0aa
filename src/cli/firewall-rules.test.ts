// Firewall rules as they are typed and shown.

import { expect, it } from "vitest";
import { isSameRule, letsEverythingIn, ruleFrom, ruleText } from "./firewall-rules.ts";

it.each([
  ["tcp", "22", "203.0.113.0/24", "tcp 22 from 203.0.113.0/24"],
  ["udp", "8000-8010", "203.0.113.7", "udp 8000-8010 from 203.0.113.7/32"],
  ["tcp", undefined, "2001:db8::1", "tcp all from 2001:db8::1/128"],
  ["icmp", undefined, "0.0.0.0/0", "icmp from 0.0.0.0/0"],
  ["all", "all", "0.0.0.0/0", "all all from 0.0.0.0/0"],
])("%s %s from %s is %s", (protocol, ports, source, text) => {
  expect(ruleText(ruleFrom(protocol, ports, source))).toBe(text);
});

it("is refused before it is sent where it means nothing", () => {
  expect(() => ruleFrom("sctp", "22", "0.0.0.0/0")).toThrow('There is no protocol "sctp".');
  expect(() => ruleFrom("icmp", "22", "0.0.0.0/0")).toThrow("icmp has no ports.");
  expect(() => ruleFrom("tcp", "ssh", "0.0.0.0/0")).toThrow('"ssh" is not a port');
});

it("is the same whatever it is described with, and only all of everywhere lets everything in", () => {
  const everything = ruleFrom("all", undefined, "0.0.0.0/0");
  expect(isSameRule(everything, { ...everything, description: "Default: everything" })).toBe(true);
  expect(
    [everything, ruleFrom("tcp", undefined, "0.0.0.0/0"), ruleFrom("all", "22", "0.0.0.0/0")].map(letsEverythingIn),
  ).toEqual([true, false, false]);
});
