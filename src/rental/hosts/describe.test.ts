// Notes and labels of hosts, and which hosts a selector finds.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { tokenPrefix } from "../../secrets/token.ts";
import { type Host, listHosts } from "../capacity/host-reading.ts";
import { parseTagFilter } from "../instances/tags.ts";
import { describeHost, type HostDescription, longestNote } from "./describe.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const describeIt = (name: string, description: HostDescription): Promise<Host> =>
  world.tx((tx) => describeHost(tx, name, description));

describe("the description of a host", () => {
  it("is nothing at first; a note and labels stay until they are changed", async () => {
    const name = await world.host();
    expect(await describeIt(name, {})).toMatchObject({ note: "", labels: {} });
    await describeIt(name, { note: "two\nlines", labels: { rack: "r12", row: "3" } });
    expect(await describeIt(name, { labels: { row: null, order: "" } })).toMatchObject({
      note: "two\nlines",
      labels: { rack: "r12", order: "" },
    });
    expect(await describeIt(name, { note: "", labels: { gone: null } })).toMatchObject({
      note: "",
      labels: { rack: "r12", order: "" },
    });
  });

  it.each<[string, string, HostDescription]>([
    ["a note that is too long", "note", { note: "x".repeat(longestNote + 1) }],
    ["a note with control characters", "note", { note: "\u0007" }],
    ["a note with a token", "note", { note: `${tokenPrefix}secret` }],
    ["a label without a key", "labels", { labels: { "": "x" } }],
    ["a label whose key no selector can name", "labels", { labels: { "a=b": "x" } }],
    ["a label of two lines", "labels", { labels: { rack: "a\nb" } }],
    ["a label with a token", "labels", { labels: { rack: `${tokenPrefix}secret` } }],
    ["51 labels", "labels", { labels: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ""])) }],
  ])("is not changed by %s", async (_what, field, description) => {
    const name = await world.host();
    await changingNothing(world.db, async () => {
      expect(await refusal("invalid-parameters", describeIt(name, description))).toMatchObject({
        fields: { [field]: {} },
      });
    });
  });

  it("of no host is refused", async () => {
    await refusal("unknown-object", describeIt("nowhere", { note: "x" }));
  });
});

describe("a selector", () => {
  it("finds the hosts that have all of its labels, page by page", async () => {
    const names = [await world.host(), await world.host(), await world.host()];
    await describeIt(names[0] ?? "", { labels: { place: "p1", line: "1" } });
    await describeIt(names[1] ?? "", { labels: { place: "p1" } });
    await describeIt(names[2] ?? "", { labels: { place: "p2", "odd \"key'": "a,b\\c" } });
    const found = async (selector: string, page = {}) =>
      (await listHosts(world.db, page, { selector: parseTagFilter(selector, "selector") })).map(({ name }) => name);
    const sorted = (some: readonly (string | undefined)[]) => some.filter((one) => one !== undefined).sort();
    expect(await found("place=p1")).toEqual(sorted([names[0], names[1]]));
    expect(await found("place=p1,line")).toEqual([names[0]]);
    expect(await found("place")).toEqual(sorted(names));
    expect(await found("odd \"key'=a\\,b\\\\c")).toEqual([names[2]]);
    expect(await found("place=p3")).toEqual([]);
    const [first] = await found("place", { limit: 1 });
    expect(await found("place", { after: first })).toEqual(sorted(names).slice(1));
  });
});
