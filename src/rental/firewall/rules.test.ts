// What a rule may say, how it is normalized, and what rules let in together.

import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { refusal } from "../../../test/support/refusals.ts";
import {
  areSame,
  bounds,
  checkRules,
  defaultRules,
  type GivenRule,
  letsEverythingIn,
  networkOf,
  together,
} from "./rules.ts";

const given = (part: Partial<GivenRule> = {}): GivenRule => ({
  protocol: "tcp",
  ports: [22, 22],
  source: "192.0.2.0/24",
  description: "",
  ...part,
});
const check = (...rules: GivenRule[]) => checkRules(rules, "list");
const refusedFields = async (...rules: GivenRule[]) => {
  const { fields } = await refusal(
    "invalid-parameters",
    Promise.resolve().then(() => check(...rules)),
  );
  return Object.keys(fields);
};

describe("a network", () => {
  it.each([
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["192.0.2.7", "192.0.2.7/32"],
    ["192.0.2.7/24", "192.0.2.0/24"],
    ["10.255.3.4/9", "10.128.0.0/9"],
    ["2001:DB8:0:0::7", "2001:db8::7/128"],
    ["2001:db8:1:2::/33", "2001:db8::/33"],
    ["::/0", "::/0"],
  ])("%s is kept as %s", (written, kept) => {
    expect(networkOf(written)).toBe(kept);
  });

  it.each([
    "",
    "nonsense",
    "192.0.2",
    "192.0.2.256",
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/024",
    "192.0.2.0/",
    "192.0.2.0/24/8",
    "192.0.2.0/255.255.255.0",
    " 192.0.2.0/24",
    "010.0.0.1",
    "0x7f000001",
    "2001:db8::/129",
    "fe80::1%eth0",
    "::ffff:192.0.2.1",
    "example.com",
  ])("%j is none", (written) => {
    expect(networkOf(written)).toBeUndefined();
  });

  it("normalized once is normalized, whatever it was", () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), fc.nat(32), (bytes, bits) => {
        const once = networkOf(`${bytes.join(".")}/${bits}`);
        expect(once).toMatch(new RegExp(`/${bits}$`));
        expect(networkOf(once ?? "")).toBe(once);
      }),
    );
  });
});

describe("a rule", () => {
  it("is kept with its network normalized", () => {
    expect(check(given({ source: "192.0.2.9/24", description: "SSH" }))).toEqual([
      { protocol: "tcp", ports: [22, 22], source: "192.0.2.0/24", description: "SSH" },
    ]);
    expect(check(given({ protocol: "icmp", ports: undefined }))).toMatchObject([{ protocol: "icmp", ports: null }]);
  });

  it("has two ports in their order, of those that there are", async () => {
    for (const ports of [
      [1, 65_535],
      [80, 443],
      [443, 443],
    ])
      expect(check(given({ ports }))).toMatchObject([{ ports }]);
    for (const ports of [[443, 80], [0, 22], [22, 65_536], [22], [], [1, 2, 3], [1.5, 2], [Number.NaN, 2]]) {
      expect(await refusedFields(given({ ports })), String(ports)).toEqual(["list.0.port_range"]);
    }
  });

  it("has ports unless it is of icmp, which has none", async () => {
    for (const protocol of ["tcp", "udp", "all"] as const) {
      expect(await refusedFields(given({ protocol, ports: undefined }))).toEqual(["list.0.port_range"]);
    }
    expect(await refusedFields(given({ protocol: "icmp" }))).toEqual(["list.0.port_range"]);
  });

  it("is refused with every field that is wrong, each by its place", async () => {
    const wrong = given({ source: "nowhere", description: "x".repeat(bounds.description + 1) });
    expect(await refusedFields(given(), wrong, given({ ports: [2, 1] }))).toEqual([
      "list.1.source_network",
      "list.1.description",
      "list.2.port_range",
    ]);
    expect(check(given({ description: "ä".repeat(bounds.description) }))).toHaveLength(1);
  });

  it("is described in one line, in whatever script, and without control characters", async () => {
    for (const description of ["two\nlines", "tab\t", "\0", "\u001b[31mred", "\u007f", "\u0085"]) {
      expect(await refusedFields(given({ description })), JSON.stringify(description)).toEqual(["list.0.description"]);
    }
    expect(check(given({ description: "büro 🦊 事務所" }))).toMatchObject([{ description: "büro 🦊 事務所" }]);
  });

  it("is one of not too many", async () => {
    const many = (count: number) => Array.from({ length: count }, () => given());
    expect(check(...many(bounds.rulesOfASet))).toHaveLength(bounds.rulesOfASet);
    expect(await refusedFields(...many(bounds.rulesOfASet + 1))).toEqual(["list"]);
  });
});

describe("rules together", () => {
  const rule = (part: Partial<GivenRule> = {}) => check(given(part));

  it("let in what each of them does", () => {
    expect(together(rule(), [], rule({ ports: [443, 443] }))).toEqual([...rule(), ...rule({ ports: [443, 443] })]);
  });

  it("let nothing in where there are none", () => {
    expect(together([], [])).toEqual([]);
  });

  it("need no filter where one lets everything in, as the default does", () => {
    expect(together(rule(), defaultRules)).toBeUndefined();
    expect(check(given({ protocol: "all", ports: [1, 65_535], source: "0.0.0.0/0" })).every(letsEverythingIn)).toBe(
      true,
    );
  });

  it.each([
    { protocol: "tcp", ports: [1, 65_535], source: "0.0.0.0/0" },
    { protocol: "all", ports: [2, 65_535], source: "0.0.0.0/0" },
    { protocol: "all", ports: [1, 65_535], source: "128.0.0.0/1" },
    { protocol: "all", ports: [1, 65_535], source: "::/0" },
  ] as const)("need one where it is only nearly everything: %j", (part) => {
    expect(together(rule(part))).toHaveLength(1);
  });
});

it("lists are the same that say the same in the same order", () => {
  const [one, other] = [check(given()), check(given({ description: "other" }))];
  expect(areSame(one, check(given({ source: "192.0.2.3/24" })))).toBe(true);
  expect(areSame(one, other)).toBe(false);
  expect(areSame([...one, ...other], [...other, ...one])).toBe(false);
});
