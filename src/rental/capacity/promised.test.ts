// What is left of a host for a launch beside what is promised: by hand for single cases, and as a property that is compared
// with a count of every GPU at every minute.

import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { fitsOf } from "./gpu-partitions.ts";
import { afterTaking, type Promised, type PromisedRoom, reservedRoom, roomUntil } from "./promised.ts";
import { howManyFit, type Needs } from "./requirements.ts";

const needs = (gpus: number, vcpus = gpus): Needs => ({
  ...{ gpuModel: gpus === 0 ? null : "H100", gpus, vcpus, memoryGib: vcpus, storageGb: vcpus },
});

/** By minutes; the host needs `handover` of them before and after. */
function promise(spec: {
  from: number;
  to: number;
  slots: number;
  gpus: number;
  id?: string;
  handover?: number;
}): Promised {
  const { from, to, slots, gpus, id = "one", handover = 15 } = spec;
  return {
    ...{ reservation: id, fromMs: from, keptFromMs: from - handover, untilMs: to + handover },
    ...{ unused: slots, needs: needs(gpus) },
  };
}

function host(free: number, promised: readonly Promised[] = [], total = 8): PromisedRoom {
  return {
    ...{ freeVcpus: free, freeMemoryGib: free, freeStorageGb: free, promised },
    gpus: new Map([["H100", { total, free, freeByNode: [free] }]]),
  };
}

const fits = (on: PromisedRoom, gpus: number, endsMs?: number) => howManyFit(roomUntil(on, endsMs), needs(gpus));

describe("a host with promises", () => {
  const ahead = promise({ from: 100, to: 200, slots: 3, gpus: 2 });

  it("gives all to what surely ends before, with the time that it needs between", () => {
    expect(fits(host(8, [ahead]), 1, 85)).toBe(8);
    expect(fits(host(8, [ahead]), 1, 86)).toBe(2);
    expect(fits(host(8, [ahead]), 1)).toBe(2);
  });

  it("keeps no more than is unused", () => {
    expect(fits(host(4, [{ ...ahead, unused: 1 }]), 1)).toBe(2);
    expect(fits(host(2, [{ ...ahead, unused: 0 }]), 1)).toBe(2);
  });

  it("keeps the most that is promised at any time, not the sum of what follows one another", () => {
    const next = promise({ from: 215, to: 300, slots: 6, gpus: 1, id: "two" });
    expect(fits(host(8, [ahead, next]), 1)).toBe(2);
    const overlapping = promise({ from: 199, to: 300, slots: 1, gpus: 1, id: "two" });
    expect(fits(host(8, [ahead, overlapping]), 1)).toBe(1);
  });

  it("leaves nothing beside slots that need more than is free: the rest is to come from what ends", () => {
    expect(fits(host(5, [ahead]), 1)).toBe(0);
    expect(howManyFit(roomUntil(host(5, [ahead])), needs(0, 1))).toBe(0);
  });

  it("leaves GPUs of other models and CPU alone, as far as they are not promised", () => {
    const cpus = { ...host(6, [ahead]), freeVcpus: 20, freeMemoryGib: 20, freeStorageGb: 20 };
    expect(howManyFit(roomUntil(cpus), needs(0, 1))).toBe(14);
    expect(howManyFit(roomUntil(cpus), needs(1))).toBe(0);
  });

  it("offers a reservation its unused slots as far as they are free, whatever else is promised", () => {
    const other = promise({ from: 0, to: 200, slots: 4, gpus: 2, id: "two" });
    expect(howManyFit(reservedRoom(host(8, [ahead, other]), "one"), needs(2))).toBe(3);
    expect(howManyFit(reservedRoom(host(5, [ahead, other]), "one"), needs(2))).toBe(2);
    expect(howManyFit(reservedRoom(host(8, [ahead]), "none"), needs(2))).toBe(0);
    const left = afterTaking(host(8, [ahead]), needs(2), 2, "one");
    expect(howManyFit(reservedRoom(left, "one"), needs(2))).toBe(1);
    expect(fits(left, 1)).toBe(2);
  });

  it("keeps whole partitions of a board, and none of it once they are not whole", () => {
    const board = [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((one) => [one]),
    ];
    const sets = board.map((one) => one.map(String));
    const on = (free: readonly number[]): PromisedRoom => {
      const whole = fitsOf(sets, new Set(free.map(String)));
      const plain = host(free.length, [promise({ from: 100, to: 200, slots: 1, gpus: 4 })]);
      return { ...plain, gpus: new Map([["H100", { total: 8, free: free.length, freeByNode: [], fits: whole }]]) };
    };
    expect(fits(on([0, 1, 4, 5, 6, 7]), 1)).toBe(2);
    expect(fits(on([0, 1, 2, 5, 6, 7]), 1)).toBe(0);
    expect(fits(on([0, 1, 2, 5, 6, 7]), 1, 50)).toBe(6);
    expect(howManyFit(reservedRoom(on([0, 1, 2, 3, 4, 5, 6, 7]), "one"), needs(4))).toBe(1);
  });
});

interface Case {
  readonly instances: readonly { readonly gpus: number; readonly ends: number | undefined }[];
  readonly promised: readonly Promised[];
  readonly launch: { readonly gpus: number; readonly ends: number | undefined };
}

const total = 8;
const handover = 2;
const end = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined });
const gpus = fc.integer({ min: 1, max: 4 });
const anyPromise = fc
  .record({
    from: fc.integer({ min: 0, max: 25 }),
    lasts: fc.integer({ min: 1, max: 15 }),
    slots: fc.integer({ min: 1, max: 4 }),
    gpus,
  })
  .map(({ from, lasts, ...more }) => promise({ from, to: from + lasts, ...more, handover }));
const anyCase: fc.Arbitrary<Case> = fc.record({
  instances: fc.array(fc.record({ gpus, ends: end }), { maxLength: 5 }),
  promised: fc.array(anyPromise, { maxLength: 4 }),
  launch: fc.record({ gpus, ends: end }),
});

/** Whether all that is promised has its GPUs at each minute from now on: those that nothing has. */
function isKept(instances: Case["instances"], promised: Case["promised"]): boolean {
  return Array.from({ length: 60 }, (_, minute) => minute).every((minute) => {
    const there = instances.filter(({ ends }) => minute === 0 || ends === undefined || minute < ends + handover);
    const used = there.reduce((sum, one) => sum + one.gpus, 0);
    const owed = promised.filter(({ fromMs, untilMs }) => fromMs <= minute && minute < untilMs);
    return used + owed.reduce((sum, one) => sum + one.unused * one.needs.gpus, 0) <= total;
  });
}

describe("what is promised", () => {
  it("is there at each later minute after every launch that the room allows", () => {
    let [allowed, rejected] = [0, 0];
    fc.assert(
      fc.property(anyCase, ({ instances, promised, launch }) => {
        const free = total - instances.reduce((sum, one) => sum + one.gpus, 0);
        fc.pre(free >= 0 && isKept(instances, promised));
        if (fits(host(free, promised, total), launch.gpus, launch.ends) === 0) {
          rejected++;
          return;
        }
        allowed++;
        expect(isKept([...instances, launch], promised)).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(allowed, rejected)).toBeGreaterThan(300);
  });

  it("is rejected to a launch only where it would be missing without what ends meanwhile", () => {
    fc.assert(
      fc.property(anyCase, ({ instances, promised, launch }) => {
        const free = total - instances.reduce((sum, one) => sum + one.gpus, 0);
        fc.pre(free >= launch.gpus && isKept(instances, promised));
        if (fits(host(free, promised, total), launch.gpus, launch.ends) > 0) return;
        const stays = instances.map((one) => ({ ...one, ends: undefined }));
        expect(isKept([...stays, launch], promised)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});
