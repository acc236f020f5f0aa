import { describe, expect, it } from "vitest";
import { refusalOf } from "../../../test/support/setting-rules.ts";
import { refuseSharedNames } from "./engine-names.ts";

/** A file with engines of these names. */
function check(names: { readonly incus?: readonly string[]; readonly libvirt?: readonly string[] }): void {
  const lists = Object.entries(names).map(([kind, list]) => [kind, list.map((name) => ({ name }))] as const);
  refuseSharedNames(new Map(lists), "lessor.yaml");
}

describe("the names of engines", () => {
  it("may be none, and any that differ", () => {
    expect(() => refuseSharedNames(new Map(), "lessor.yaml")).not.toThrow();
    expect(() => check({ incus: ["north", "south"], libvirt: ["metal", "North", "constructor"] })).not.toThrow();
  });

  it.each([
    [{ incus: ["south", "north", "north"] }, "incus[2].name in lessor.yaml must not be the same as incus[1].name: "],
    [{ libvirt: ["north", "north"] }, "libvirt[1].name in lessor.yaml must not be the same as libvirt[0].name: "],
    [
      { incus: ["south", "north"], libvirt: ["west", "north"] },
      "libvirt[1].name in lessor.yaml must not be the same as incus[1].name: ",
    ],
  ])("are different, whatever kind they are: %j", (names, message) => {
    const said = refusalOf(() => check(names));
    expect(said).toContain(
      `${message}each of them is an engine, and hosts and instances know their engine by its name.`,
    );
    expect(said).not.toMatch(/north|south|west/);
  });
});
