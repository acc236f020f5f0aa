// Whether a refusal for too many requests is the first one of its token in the window. Only that one is written to the
// audit log, so that a flood of requests does not become one of writes.
// Invariant: bounded; of more tokens than that, all begin anew, and some are written twice.

const remembered = 10_000;

/** True for the first call with this token until `forSeconds` of that call are over. */
export type FirstRejection = (tokenId: string, forSeconds: number) => boolean;

/** `now` (in milliseconds) is a parameter for the test. */
export function createFirstRejection(now: () => number = () => performance.now()): FirstRejection {
  const until = new Map<string, number>();
  return (tokenId, forSeconds) => {
    const moment = now();
    if (moment < (until.get(tokenId) ?? Number.NEGATIVE_INFINITY)) return false;
    if (until.size >= remembered) until.clear();
    until.set(tokenId, moment + forSeconds * 1000);
    return true;
  };
}
