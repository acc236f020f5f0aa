// Firewall rules as people read and type them.

import { describe, expect, it } from "vitest";
import {
  isSameRule,
  lineOf,
  newLine,
  portsOf,
  type Rule,
  ruleErrors,
  ruleOf,
  rulesWords,
  trafficWords,
} from "./rules.ts";

const ssh: Rule = { protocol: "tcp", port_range: [22, 22], source_network: "203.0.113.0/24", description: "SSH" };
const ping: Rule = { protocol: "icmp", source_network: "0.0.0.0/0", description: "" };
const everything: Rule = { protocol: "all", port_range: [1, 65_535], source_network: "0.0.0.0/0", description: "" };

describe("ports", () => {
  it.each([
    ["22", [22, 22]],
    [" 8000 - 8100 ", [8000, 8100]],
    ["all", [1, 65_535]],
  ])("%j are read", (text, ports) => expect(portsOf(text)).toEqual(ports));

  it.each(["", "0", "65536", "100-90", "22,80", "ssh"])("%j are none, and told as wrong", (ports) => {
    expect(portsOf(ports)).toBeUndefined();
    expect(ruleErrors([{ ...newLine(0), port_range: ports }])).toHaveProperty(["rules.0.port_range"]);
    expect(ruleErrors([{ ...newLine(0), port_range: ports, protocol: "icmp" }])).toEqual({});
  });
});

describe("a rule", () => {
  it("is the same again after a form", () => {
    for (const rule of [ssh, ping, everything]) expect(ruleOf(lineOf(rule, 1))).toEqual(rule);
  });

  it("is told in words", () => {
    expect([ssh, ping, everything].map(trafficWords)).toEqual(["TCP 22", "ICMP", "Everything"]);
    expect(trafficWords({ ...ssh, port_range: [8000, 8100] })).toBe("TCP 8000–8100");
    expect(rulesWords([])).toBe("No rules");
    expect(rulesWords([ssh])).toBe("TCP 22 from 203.0.113.0/24");
    expect(rulesWords([ssh, ping])).toBe("2 rules");
  });

  it("has a source that is a network or an address", () => {
    const problems = (source_network: string) => ruleErrors([{ ...newLine(0), port_range: "22", source_network }]);
    expect([problems("203.0.113.0/24"), problems("2001:db8::1")]).toEqual([{}, {}]);
    expect(problems("anywhere")).toHaveProperty(["rules.0.source_network"]);
  });

  it("is found among others by everything it says", () => {
    expect(isSameRule(ssh, { ...ssh })).toBe(true);
    expect(isSameRule(ssh, { ...ssh, description: "other" })).toBe(false);
    expect(isSameRule(ssh, { ...ssh, port_range: [22, 23] })).toBe(false);
  });
});
