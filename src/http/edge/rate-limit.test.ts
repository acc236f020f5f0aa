// What counting remembers. What clients see of it: test/control/rate-limits.test.ts.

import { describe, expect, it } from "vitest";
import { createRateLimits } from "./rate-limit.ts";

describe("counting", () => {
  it("holds for many addresses at once: six thousand others do not make it forget one", () => {
    const { front } = createRateLimits({
      requestsPerMinutePerAddress: 1,
      requestsPerMinutePerToken: 1,
      failedAuthenticationsPerMinutePerAddress: 1,
    });
    expect(front.address("192.0.2.1")).toBe(true);
    for (let n = 0; n < 6000; n++) front.address(`198.18.${Math.floor(n / 200)}.${n % 200}`);
    expect(front.address("192.0.2.1")).toBe(false);
  });
});
