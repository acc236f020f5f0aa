// Tests make the same choices in every run (test/support/{random,properties}.ts): one that passed passes again, and what
// fails can be run again.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { fc } from "../support/properties.ts";
import { chosenSeed, seeded } from "../support/random.ts";

const root = resolve(import.meta.dirname, "../..");
const tests = ["src", "test", "bench"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

it("fast-check comes from where its choices are the same in every run", () => {
  const direct = tests.filter((file) => /^import .* from "fast-check"/m.test(readFileSync(join(root, file), "utf8")));
  expect(direct).toEqual(["test/support/properties.ts"]);
});

it("the same numbers come again, for properties too", () => {
  const choices = () => {
    const seen: number[] = [];
    fc.assert(fc.property(fc.nat(), (number) => void seen.push(number)));
    return seen;
  };
  expect(choices()).toEqual(choices());
  const [one, other] = [seeded(), seeded()];
  expect([one.seed, one.below(1000), one.below(1000)]).toEqual([chosenSeed, other.below(1000), other.below(1000)]);
});
