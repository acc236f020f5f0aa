import { describe, expect, it } from "vitest";
import { Seen } from "./cached-observation.ts";

const [first, second] = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"] as const;
const nothing = { ip: undefined, usable: false };

describe("what was seen of a machine", () => {
  it("holds for the boot that it was seen in", () => {
    const seen = new Seen();
    expect(seen.of("a", first)).toEqual(nothing);
    seen.note("a", first, "10.0.0.5", true);
    expect(seen.of("a", first)).toMatchObject({ ip: "10.0.0.5", usable: true });
    expect(seen.of("a", second)).toEqual(nothing);
    expect(seen.of("b", first)).toEqual(nothing);
  });

  it("is forgotten when anything happens to it, but not who stopped it", () => {
    const seen = new Seen();
    seen.note("a", first, "10.0.0.5", true);
    seen.noteStop("a");
    seen.forget("a");
    expect(seen.of("a", first)).toEqual(nothing);
    expect(seen.wasStopped("a")).toBe(true);
  });

  it("goes with the machine", () => {
    const seen = new Seen();
    seen.note("a", first, "10.0.0.5", true);
    seen.noteStop("a");
    seen.remove("a");
    expect([seen.of("a", first), seen.wasStopped("a")]).toEqual([nothing, false]);
  });
});

it("a machine that is started was not stopped by us any more", () => {
  const seen = new Seen();
  seen.noteStop("a");
  seen.noteStart("a");
  expect([seen.wasStopped("a"), seen.wasStopped("b")]).toEqual([false, false]);
});
