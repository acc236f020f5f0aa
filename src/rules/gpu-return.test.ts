// When GPUs are expected back, and the words for it.

import { describe, expect, it } from "vitest";
import { backAt, inAbout, inOrderOfReturn, type ReturnFacts, returningWords } from "./gpu-return.ts";

const minute = 60_000;
/** On the minute. */
const began = Date.parse("2026-03-01T12:00:00Z");
const measured = { reset: 90, validation: 240 };

const resetting: ReturnFacts = {
  ...{ state: "sanitizing", since: began, attempts: 1, isToBeValidated: false },
  ...{ validationBegan: null, burnInUntil: null },
};
const waiting: ReturnFacts = { ...resetting, state: "validating", attempts: 0, isToBeValidated: true };
const validating: ReturnFacts = { ...waiting, attempts: 1, validationBegan: began + 3 * minute };

/** In minutes after it began; null: no estimate. */
function minutes(facts: ReturnFacts, now = began, known: Parameters<typeof backAt>[1] = measured): number | null {
  const at = backAt(facts, known, now);
  return at && (at.getTime() - began) / minute;
}

describe("the estimate of when a GPU is back", () => {
  it("is how long its reset took before, rounded up to a whole minute", () => {
    expect(minutes(resetting)).toBe(2);
    expect(minutes({ ...resetting, attempts: 0 })).toBe(2);
    expect(minutes(resetting, began, { ...measured, reset: 120 })).toBe(2);
    expect(minutes(resetting, began, { ...measured, reset: 121 })).toBe(3);
    expect(minutes(resetting, began, { ...measured, reset: 0.2 })).toBe(1);
  });

  it("has the validation too, if one is to follow", () => {
    expect(minutes({ ...resetting, isToBeValidated: true })).toBe(6);
    expect(minutes(waiting)).toBe(4);
  });

  it("counts from the beginning of the validation that has it", () => {
    expect(minutes(validating)).toBe(7);
  });

  it("is after the burn-in of a new GPU, by one validation", () => {
    expect(minutes({ ...validating, burnInUntil: began + 60 * minute })).toBe(64);
    expect(minutes({ ...validating, burnInUntil: began + minute })).toBe(7);
  });

  it("is none where nothing was measured that is needed", () => {
    expect(minutes(resetting, began, { ...measured, reset: null })).toBeNull();
    expect(minutes(resetting, began, { ...measured, validation: null })).toBe(2);
    expect(minutes({ ...resetting, isToBeValidated: true }, began, { ...measured, validation: null })).toBeNull();
    expect(minutes(validating, began, { ...measured, reset: null })).toBe(7);
  });

  it("is none of a reset or a validation that is retried", () => {
    expect(minutes({ ...resetting, attempts: 2 })).toBeNull();
    expect(minutes({ ...validating, attempts: 2 })).toBeNull();
    // Its first one gave no verdict, and the next has not begun.
    expect(minutes({ ...waiting, attempts: 1 })).toBeNull();
  });

  it("is none once it has passed", () => {
    expect(minutes(resetting, began + 2 * minute - 1)).toBe(2);
    expect(minutes(resetting, began + 2 * minute)).toBeNull();
  });
});

describe("GPUs that return", () => {
  const at = (after: number) => new Date(began + after * minute);

  it("are counted by the minute, the soonest first and those without an estimate last", () => {
    const found = [
      { gpus: 1, backAt: null },
      { gpus: 2, backAt: at(5) },
      { gpus: 4, backAt: at(2) },
      { gpus: 3, backAt: at(5) },
      { gpus: 1, backAt: null },
    ];
    expect(inOrderOfReturn(found)).toEqual([
      { gpus: 4, backAt: at(2) },
      { gpus: 5, backAt: at(5) },
      { gpus: 2, backAt: null },
    ]);
    expect(inOrderOfReturn([])).toEqual([]);
  });

  it("are told in whole minutes, and long ones in hours", () => {
    const told = (seconds: number) => inAbout(at(0).toISOString(), began - seconds * 1000);
    expect([told(1), told(60), told(61), told(90 * 60)]).toEqual([
      "in about 1 minute",
      "in about 1 minute",
      "in about 2 minutes",
      "in about 90 minutes",
    ]);
    expect([told(90 * 60 + 1), told(24 * 3600)]).toEqual(["in about 2 hours", "in about 24 hours"]);
    expect([told(0), told(-60), inAbout(null, began)]).toEqual([undefined, undefined, undefined]);
  });

  it("are told with the soonest, and how many more there are", () => {
    const words = (...found: [number, number | null][]) =>
      returningWords(
        found.map(([gpus, after]) => ({ gpus, back_at: after === null ? null : at(after).toISOString() })),
        began,
      );
    expect(words()).toBeUndefined();
    expect(words([1, 1])).toBe("1 GPU back in about 1 minute");
    expect(words([2, 3], [8, 3])).toBe("10 GPUs back in about 3 minutes");
    expect(words([1, null], [2, 3], [1, 60])).toBe("2 GPUs back in about 3 minutes, 2 more being reset or validated");
    expect(words([1, null])).toBe("1 GPU being reset or validated");
    // Read a while ago.
    expect(words([2, -1], [1, null])).toBe("3 GPUs being reset or validated");
  });
});
