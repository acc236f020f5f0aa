import { describe, expect, it } from "vitest";
import { Missing } from "./missing.ts";

describe("a machine that is missing", () => {
  const start = () => {
    const clock = { now: 0 };
    return { clock, missing: new Missing(() => clock.now) };
  };

  it("is confirmed by a second look after the time, never by the first", () => {
    const { clock, missing } = start();
    expect(missing.confirm("a", 2)).toBe(false);
    clock.now = 1999;
    expect(missing.confirm("a", 2)).toBe(false);
    clock.now = 2000;
    expect(missing.confirm("a", 2)).toBe(true);
  });

  it("needs two looks even where no time has to pass", () => {
    const { missing } = start();
    expect([missing.confirm("a", 0), missing.confirm("a", 0)]).toEqual([false, true]);
  });

  it("begins anew when it was seen between", () => {
    const { clock, missing } = start();
    missing.confirm("a", 2);
    missing.seen("a");
    clock.now = 5000;
    expect(missing.confirm("a", 2)).toBe(false);
  });

  it("begins anew when it was confirmed", () => {
    const { missing } = start();
    missing.confirm("a", 0);
    missing.confirm("a", 0);
    expect(missing.confirm("a", 0)).toBe(false);
  });

  it("is forgotten when it is not among those to keep", () => {
    const { missing } = start();
    missing.confirm("a", 0);
    missing.confirm("b", 0);
    missing.keepOnly(new Set(["b"]));
    expect([missing.confirm("a", 0), missing.confirm("b", 0)]).toEqual([false, true]);
  });
});
