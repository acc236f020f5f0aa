import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { launch } from "../../../test/support/launch-all.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { RentalError } from "../errors.ts";
import { InsufficientCapacity, type InsufficientCapacityReport } from "./insufficient-capacity.ts";

const world = worldOfFile();
let reports: InsufficientCapacityReport[];

/** Resolves with the next report. */
function nextReport(): { noRoom: InsufficientCapacity; told: Promise<InsufficientCapacityReport> } {
  const { promise, resolve } = Promise.withResolvers<InsufficientCapacityReport>();
  const noRoom = new InsufficientCapacity(world.db, (report) => {
    reports.push(report);
    resolve(report);
  });
  return { noRoom, told: promise };
}

beforeEach(() => {
  reports = [];
});
afterEach(() => vi.useRealTimers());

describe("a launch that finds no room", () => {
  it("is reported with what each filter leaves, region by region", async () => {
    await world.host({ region: "full", cordoned: true });
    await world.image();
    const product = await world.product();
    const principal = await world.account();
    const { noRoom, told } = nextReport();
    const service = { ...world.service, noRoom };
    const order = launchOrder({ instanceType: product.name });
    await expect(world.tx((tx) => launch(tx, service, principal, order))).rejects.toBeInstanceOf(RentalError);
    const report = await told;
    expect(report).toMatchObject({ instanceType: product.name, refused: 1 });
    const filters = report.regions.find((one) => one.region === "full")?.filters ?? [];
    expect(filters.slice(1, 3)).toEqual([
      { filter: "available", hostsLeft: 1 },
      { filter: "not-cordoned", hostsLeft: 0 },
    ]);
  });

  it("is not reported when it is refused for another reason", async () => {
    const { noRoom } = nextReport();
    const note = vi.spyOn(noRoom, "note");
    const principal = await world.account();
    const order = launchOrder({ instanceType: "unknown" });
    await expect(world.tx((tx) => launch(tx, { ...world.service, noRoom }, principal, order))).rejects.toThrow();
    expect(note).not.toHaveBeenCalled();
  });
});

describe("a storm of launches that find no room", () => {
  it("is one report at once and one for all the others a second later, and then silence", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const product = await world.product();
    const { noRoom, told } = nextReport();
    for (let i = 0; i < 100; i++) noRoom.note(product);
    await told;
    expect(reports.map((report) => report.refused)).toEqual([1]);
    vi.advanceTimersByTime(1000);
    await vi.waitFor(() => expect(reports.map((report) => report.refused)).toEqual([1, 99]));
    vi.advanceTimersByTime(10_000);
    noRoom.note(product);
    await vi.waitFor(() => expect(reports.map((report) => report.refused)).toEqual([1, 99, 1]));
  });
});
