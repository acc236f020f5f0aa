// One instance for one press of the button, whatever becomes of the answer.

import { describe, expect, it } from "vitest";
import { isFinal, nextAttempt, randomKey } from "./attempt.ts";

let made = 0;
const makeKey = () => `key-${++made}`;

describe("a launch that is tried again", () => {
  const first = nextAttempt(undefined, "{}", makeKey);

  it("has the same key where the answer was lost", () => {
    expect(nextAttempt(first, "{}", makeKey)).toBe(first);
  });

  it("has another key after a response: it is another instance", () => {
    expect(nextAttempt({ ...first, answered: true }, "{}", makeKey).key).not.toBe(first.key);
  });

  it("has another key where something else is ordered: the service would refuse the old one", () => {
    expect(nextAttempt(first, '{"quantity":2}', makeKey).key).not.toBe(first.key);
  });
});

describe("an answer", () => {
  it("is final where the service has decided", () => {
    expect([200, 201, 400, 402, 403, 422].map(isFinal)).toEqual(Array(6).fill(true));
  });

  it("is not where it may have gone through, or may yet", () => {
    expect([undefined, 409, 429, 500, 502, 503].map(isFinal)).toEqual(Array(6).fill(false));
  });
});

it("a key is random and long", () => {
  expect(randomKey()).toMatch(/^[0-9a-f]{32}$/);
  expect(randomKey()).not.toBe(randomKey());
});
