import { describe, expect, it } from "vitest";
import { consoleText, type SimulatedGuest } from "./console.ts";

const at = new Date("2026-03-01T12:00:00.000Z");
const guest = (part: Partial<SimulatedGuest>): SimulatedGuest => ({
  hostname: "training-1",
  image: "ubuntu-24.04",
  power: "on",
  settles_at: at,
  settled: true,
  validation: null,
  ...part,
});

describe("a simulated console", () => {
  it("is empty before the first start", () => {
    expect(consoleText(guest({ power: "off", settles_at: null }))).toBe("");
  });

  it("says first that it is a simulation, whatever comes then", () => {
    for (const power of ["on", "off"] as const) {
      expect(consoleText(guest({ power }))).toMatch(/^This is a simulated machine/);
    }
  });

  it("ends with a login when the boot is over, and says since when it is up", () => {
    const text = consoleText(guest({}));
    expect(text).toContain("2026-03-01T12:00:00.000Z training-1 is up\r\n");
    expect(text).toMatch(/training-1 login:\r\n$/);
  });

  it.each([
    ["is still going on", at],
    ["never ends", null],
  ])("has no login while the boot %s", (_what, settles_at) => {
    const text = consoleText(guest({ settles_at, settled: false }));
    expect(text).toContain("Booting ubuntu-24.04 as training-1");
    expect(text).not.toMatch(/login|is up/);
  });

  it("says that it halts, and when it is down", () => {
    expect(consoleText(guest({ power: "off", settled: false }))).toMatch(/Halting \.\.\.\r\n$/);
    expect(consoleText(guest({ power: "off" }))).toMatch(/training-1 is down\r\n$/);
  });
});
