import { expect, it } from "vitest";
import { machineSpecOn } from "../../../test/support/machine-spec.ts";
import {
  digest,
  gpusIn,
  gpusText,
  isSecretKey,
  keys,
  machineIdIn,
  machineName,
  ownerTag,
  secretKey,
  serverTags,
} from "./labels.ts";

const id = "0199a8f0-7c1e-7e55-8f00-0123456789ab";

it("a machine is found by its name and by the tags of its server, which Nova takes", () => {
  const tags = serverTags(machineSpecOn("gpu1", { id, generation: 7 }), ownerTag("one", "cloud"));
  expect(machineIdIn([machineName(id)])).toBe(id);
  expect(machineIdIn(tags)).toBe(id);
  expect(tags).toContain("lessor-g7");
  for (const tag of tags) expect(tag).toMatch(/^[^,/]{1,60}$/);
});

it.each(["", "lessor-", "lessor-made", `other-${id}`, `lessor-${id}-2`, `lessor-${id.toUpperCase()}`])(
  "%s names no machine",
  (name) => {
    expect(machineIdIn([name])).toBeUndefined();
  },
);

it("installations and engines have tags of their own, which are no secret and tell nothing", () => {
  const tags = [ownerTag("one", "cloud"), ownerTag("two", "cloud"), ownerTag("one", "other")];
  expect(new Set(tags).size).toBe(3);
  expect(tags[0]).toBe(`lessor-i-${digest("one/cloud", 32)}`);
});

it("keys of secrets are told from the others", () => {
  expect([0, 119].map(secretKey).every(isSecretKey)).toBe(true);
  expect(Object.values(keys).some(isSecretKey)).toBe(false);
});

it.each([
  [[], ""],
  [["A/1", "A/0", "B/0000:10:00.0"], "A/0,1 B/0000:10:00.0"],
  [["A/0", "A/1.0"], "A/0,1.0"],
])("GPUs %j are written as %j, and read back", (addresses, text) => {
  expect(gpusText(addresses)).toBe(text);
  expect(gpusIn(text)).toEqual(addresses.toSorted());
});

it("all cards of a host fit in a value of metadata; of more than fit, whole ones", () => {
  const cards = (count: number) =>
    Array.from({ length: count }, (_, at) => `CUSTOM_PCI_10DE_2335/0000:${10 + at}:00.0`);
  expect(gpusIn(gpusText(cards(16)))).toEqual(cards(16));
  const many = cards(40);
  expect(gpusText(many).length).toBeLessThanOrEqual(255);
  expect(many).toEqual(expect.arrayContaining(gpusIn(gpusText(many))));
});
