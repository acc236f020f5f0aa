import { describe, expect, it } from "vitest";
import { Interrupted } from "./failure.ts";
import { Lease } from "./lease.ts";

describe("a lease as its worker believes in it", () => {
  const at = (ms: number) => ({ lease: new Lease(() => ms, 5, 1000), ms });

  it("runs from when it was asked for, as long as it was asked for", () => {
    expect(() => at(1000).lease.check()).not.toThrow();
    expect(() => at(5999).lease.check()).not.toThrow();
    expect(() => at(6000).lease.check()).toThrow(Interrupted);
  });

  it("runs as long again from when its renewal was asked for", () => {
    const { lease } = at(10_999);
    expect(() => lease.check()).toThrow("the lease ran out");
    lease.renewed(6000);
    expect(() => lease.check()).not.toThrow();
  });
});
