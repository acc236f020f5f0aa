import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { checkerMark, isOrphan } from "./test-instance-label.ts";

/** No process has it. */
const deadPid = 2 ** 30;

describe("a probe instance", () => {
  it("of a check that still runs is none of ours to remove", () => {
    expect(isOrphan(checkerMark(2000), 1000)).toBe(false);
    expect(isOrphan("elsewhere:1:2000", 1000)).toBe(false);
  });

  it("is left over when its check's time is up, or its process is gone", () => {
    expect(isOrphan(checkerMark(2000), 3000)).toBe(true);
    expect(isOrphan(`${hostname()}:${deadPid}:2000`, 1000)).toBe(true);
  });

  it("that does not say whose it is is nobody's", () => {
    expect(isOrphan("scribbled", 1000)).toBe(true);
    expect(isOrphan(undefined, 1000)).toBe(true);
  });
});
