// Whether a rejection for too many requests is the first one of its token in the window. Only that one is written to
// the audit log, so that a flood of requests does not become one of writes.
// Invariant: memory is limited; beyond that, the token whose window began first restarts.

import { LRUCache } from "lru-cache";

const remembered = 10_000;

/** True for the first call with this token until `forSeconds` of that call are over. */
export type FirstRejection = (tokenId: string, forSeconds: number) => boolean;

/** `now` (in milliseconds) is a parameter for the test. */
export function createFirstRejection(now: () => number = () => performance.now()): FirstRejection {
  const rejected = new LRUCache<string, true>({
    ...{ maxSize: remembered, sizeCalculation: () => 1 },
    ...{ ttlResolution: 0, perf: { now } },
  });
  return (tokenId, forSeconds) => {
    if (rejected.has(tokenId)) return false;
    rejected.set(tokenId, true, { ttl: forSeconds * 1000 });
    return true;
  };
}
