// All requests of a test come from one address, the good ones and the bad: what is allowed to one address must not
// decide other tests. Its own are in test/control/rate-limits.test.ts.

import type { Limits } from "../../src/config.ts";

const plenty = 100_000_000;

export function forOneAddress(limits: Limits): Limits {
  return { ...limits, requestsPerMinutePerAddress: plenty, failedAuthenticationsPerMinutePerAddress: plenty };
}
