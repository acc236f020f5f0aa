import { describe, expect, it } from "vitest";
import { RentalError } from "../errors.ts";
import { commonPlace } from "./common-place.ts";
import type { FileSystem, Pin } from "./file-systems.ts";

const fileSystem = (name: string, pin?: Pin): FileSystem => ({
  id: name,
  name,
  region: "north",
  sizeGb: 1,
  attachedTo: [],
  multiAttach: false,
  bytesUsed: undefined,
  lostAt: undefined,
  isBlocked: false,
  pin,
  createdAt: new Date(0),
});
const on = (engine: string, host?: string): Pin => ({ engine, host });

describe("the place of an instance with file systems", () => {
  it("is anywhere while none was ever attached", () => {
    expect(commonPlace([], "field")).toBeUndefined();
    expect(commonPlace([fileSystem("a"), fileSystem("b")], "field")).toBeUndefined();
  });

  it("is on the engine that has one, and names the one", () => {
    const place = commonPlace([fileSystem("a"), fileSystem("b", on("east"))], "field");
    expect(place).toEqual({ engine: "east", host: undefined, fileSystem: "b" });
  });

  it("is the host that has one, also where others are on shared storage of the same engine, in any order", () => {
    const both = [fileSystem("a", on("east")), fileSystem("b", on("east", "h1")), fileSystem("c", on("east", "h1"))];
    for (const list of [both, both.toReversed()]) {
      expect(commonPlace(list, "field")).toMatchObject({ engine: "east", host: "h1" });
    }
  });

  it.each<[string, Pin, Pin]>([
    ["two hosts", on("east", "h1"), on("east", "h2")],
    ["two engines", on("east"), on("west")],
    ["two engines, one with a host", on("east"), on("west", "h1")],
    ["hosts of one name of two engines", on("east", "h1"), on("west", "h1")],
  ])("is none where they are on %s, and the field says so, naming no host", (_what, first, second) => {
    try {
      commonPlace([fileSystem("a", first), fileSystem("b", second)], "field");
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof RentalError)) throw error;
      expect(error.kind).toBe("invalid-parameters");
      expect(JSON.stringify(error.details)).toMatch(/File systems (a and b|b and a) are on different hosts/);
      expect(JSON.stringify(error.details)).not.toMatch(/h1|h2|east|west/);
    }
  });
});
