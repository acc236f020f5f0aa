// What is evicted for whom among several that wait.

import { expect, it } from "vitest";
import { hostWith, typeOf } from "../../../test/support/spot-hosts.ts";
import type { EvictionHost } from "./evictable.ts";
import { type Beneficiary, planEvictions } from "./plan.ts";

const product = typeOf();
const asNamed = () => (a: EvictionHost, b: EvictionHost) => a.name.localeCompare(b.name);

function waiting(id: string, position: number, quantity: number, line = "line"): Beneficiary {
  return { id, position, quantity, line, product, region: undefined, bound: {}, endsMs: undefined };
}

/** By launch, the number of instances that are evicted for it on each host; undefined: it is not served. */
function planned(hosts: readonly EvictionHost[], ...launches: readonly Beneficiary[]) {
  const plans = planEvictions(hosts, launches, asNamed).map(({ beneficiary: { id }, chosen }) => {
    return [id, chosen?.map(({ host, evicted }) => `${evicted.length} of ${host.name}`).join(", ")];
  });
  return Object.fromEntries(plans);
}

it("each gets what is free or what can be evicted, in order of position, and an instance is evicted for one only", () => {
  const one = { gpuCount: 1 };
  const hosts = () => [hostWith({ name: "a", gpus: 1, vcpus: 4 }), hostWith({ name: "b", spot: [one] })];
  expect(planned(hosts(), waiting("second", 2, 1), waiting("first", 1, 1))).toEqual({
    first: "0 of a",
    second: "1 of b",
  });
  expect(planned(hosts(), waiting("first", 1, 2), waiting("second", 2, 1))).toEqual({
    first: "0 of a, 1 of b",
    second: undefined,
  });
});

it("nothing is evicted where an earlier one that is not served could be, and where others are not concerned it is", () => {
  const hosts = [hostWith({ name: "a", spot: [{ gpuCount: 1 }] })];
  expect(planned(hosts, waiting("large", 1, 2), waiting("same line", 2, 1))).toEqual({
    large: undefined,
    "same line": undefined,
  });
  expect(planned(hosts, waiting("large", 1, 2), waiting("another", 2, 1, "other"))).toEqual({
    large: undefined,
    another: undefined,
  });
  const elsewhere = { ...waiting("large", 1, 2), region: "south" };
  expect(planned(hosts, elsewhere, waiting("another", 2, 1, "other"))).toEqual({ large: undefined, another: "1 of a" });
});

it("a host on which instances are evicted for one is not used by a later one", () => {
  const hosts = [hostWith({ name: "a", spot: [{ gpuCount: 1 }, { gpuCount: 1 }] })];
  expect(planned(hosts, waiting("first", 1, 1), waiting("second", 2, 1))).toEqual({
    first: "1 of a",
    second: undefined,
  });
});

it("an earlier one gets what is free on it, and what is evicted there for the later one stays as it is", () => {
  const later = { id: "later", position: 2 };
  const noticed = { gpuCount: 1, isUnderNotice: true };
  const launches = [waiting("earlier", 1, 1), waiting("later", 2, 2)];
  const before = hostWith({ name: "a", gpus: 2, vcpus: 8, spot: [{ gpuCount: 1 }] });
  expect(planned([before], ...launches)).toEqual({ earlier: "0 of a", later: "1 of a" });
  const during = hostWith({ name: "a", gpus: 2, vcpus: 8, spot: [noticed], owner: later });
  expect(planned([during], ...launches)).toEqual({ earlier: "0 of a", later: "1 of a" });
});

it("an earlier one that needs more than is free there takes the place of the later one", () => {
  const owner = { id: "later", position: 2 };
  const host = hostWith({ name: "a", spot: [{ gpuCount: 1, isUnderNotice: true }], owner });
  // First nothing is evicted for the later one any more, then the earlier one has its turn.
  const launches = [waiting("earlier", 1, 1), waiting("later", 2, 1, "other")];
  expect(planned([host], ...launches)).toEqual({ earlier: undefined, later: undefined });
  expect(planned([{ ...host, owner: undefined }], ...launches)).toEqual({ earlier: "1 of a", later: undefined });
});
