import { describe, expect, it } from "vitest";
import { allHosts } from "../rental/hosts/host-scope.ts";
import { LatestReadings } from "./latest-readings.ts";

const some = (...only: string[]) => ({ only });
const scopeOf = (readings: LatestReadings, began: number, scope = allHosts) =>
  readings.record(began, scope, async (current) => current);

describe("of readings that overlap", () => {
  it("one of all hosts leaves out those that were read later, until the next", async () => {
    const readings = new LatestReadings();
    await scopeOf(readings, 5, some("a", "b"));
    expect(await scopeOf(readings, 3)).toEqual({ except: ["a", "b"] });
    expect(await scopeOf(readings, 6)).toEqual({ except: [] });
    expect(await scopeOf(readings, 4)).toEqual({ except: [] });
  });

  it("one of some hosts leaves out those of which a later one is recorded, alone or with all", async () => {
    const readings = new LatestReadings();
    await scopeOf(readings, 5, some("a"));
    expect(await scopeOf(readings, 4, some("a", "b"))).toEqual(some("b"));
    await scopeOf(readings, 7);
    expect(await scopeOf(readings, 6, some("a", "c"))).toEqual(some());
    expect(await scopeOf(readings, 8, some("a", "c"))).toEqual(some("a", "c"));
  });

  it("one is recorded at a time, and what failed does not count", async () => {
    const readings = new LatestReadings();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = readings.record(5, some("a"), async () => {
      order.push("first");
      await gate.promise;
      order.push("first ended");
      throw new Error("no database");
    });
    const second = readings.record(4, some("a"), async (current) => {
      order.push("second");
      return current;
    });
    gate.resolve();
    await expect(first).rejects.toThrow("no database");
    expect(await second).toEqual(some("a"));
    expect(order).toEqual(["first", "first ended", "second"]);
  });
});
