import { describe, expect, it } from "vitest";
import {
  certificateFinding,
  clockFinding,
  diskFinding,
  type HostFinding,
  healthCodeNamed,
  healthCodeNames,
  healthCodes,
  poolFinding,
  restartFinding,
  worstOfEach,
  worstSeverity,
} from "./host-health.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const severityOf = (finding: HostFinding | undefined) => finding?.severity ?? "none";
const [HOUR, DAY] = [3600, 86_400];

describe("free space of a pool", () => {
  it.each([
    [100, "none"],
    [10, "none"],
    [9.99, "warning"],
    [3, "warning"],
    [2.99, "critical"],
    [0, "critical"],
  ])("%d %% are %s", (percent, severity) => {
    expect(severityOf(diskFinding("default", percent * 1e9, 100e9))).toBe(severity);
  });

  it("is told in whole percent, so that a few bytes are no news", () => {
    expect(diskFinding("default", 8.1e9, 100e9)).toEqual(diskFinding("default", 8.9e9, 100e9));
    expect(diskFinding("default", 8e9, 100e9)?.message).toBe("The pool default has 8 % free of 100 GB.");
  });

  it("of a pool without a size is not judged", () => {
    expect(diskFinding("default", 0, 0)).toBeUndefined();
  });
});

describe("a clock", () => {
  it.each([
    [0, "none"],
    [2, "none"],
    [-2.1, "warning"],
    [30, "warning"],
    [30.1, "critical"],
    [-3600, "critical"],
  ])("that is off by %d s is %s", (seconds, severity) => {
    expect(severityOf(clockFinding(seconds))).toBe(severity);
  });

  it("is told with its direction", () => {
    expect(clockFinding(5)?.message).toBe("Its clock is 5 s ahead of the clock of Lessor.");
    expect(clockFinding(-5)?.message).toBe("Its clock is 5 s behind the clock of Lessor.");
  });
});

describe("restarts of a daemon", () => {
  it.each<[string, number[], string]>([
    ["none", [], "none"],
    ["one within the hour", [HOUR - 1], "warning"],
    ["one before", [HOUR + 1], "none"],
    ["two within the day", [5 * HOUR, 2 * HOUR], "none"],
    ["three within the day", [DAY - 1, 5 * HOUR, 2 * HOUR], "critical"],
    ["three, one of them before the day", [DAY + 1, 5 * HOUR, 2 * HOUR], "none"],
  ])("%s", (_what, seconds, severity) => {
    expect(severityOf(restartFinding(seconds.map(ago), now))).toBe(severity);
  });

  it("are told with the last one, in any order", () => {
    expect(restartFinding([ago(60), ago(5 * HOUR), ago(2 * HOUR)], now)?.message).toBe(
      "Its daemon restarted 3 times in 24 hours, last at 2026-03-01T11:59:00.000Z.",
    );
  });
});

describe("a certificate", () => {
  it.each([
    [15, "none"],
    [13, "warning"],
    [1, "critical"],
    [-1, "critical"],
  ])("that expires in %d days is %s", (days, severity) => {
    expect(severityOf(certificateFinding("The certificate", ago(-days * DAY), now))).toBe(severity);
  });

  it("is told with the time", () => {
    expect(certificateFinding("The certificate", ago(DAY), now)?.message).toBe(
      "The certificate expired at 2026-02-28T12:00:00.000Z.",
    );
  });
});

describe("findings", () => {
  const warning = { code: "certificate-expiring", severity: "warning", message: "one" } as const;
  const critical = { ...warning, severity: "critical", message: "other" } as const;
  const pool = poolFinding("the pool default is not active");

  it("are one of each code, the worst, in the order of the table", () => {
    expect(worstOfEach([warning, critical, pool])).toEqual([pool, critical]);
    expect(worstOfEach([])).toEqual([]);
  });

  it("have a worst severity", () => {
    expect([[], [warning], [warning, critical]].map(worstSeverity)).toEqual([undefined, "warning", "critical"]);
  });

  it("are sentences, with a meaning and a remedy for each code", () => {
    expect(pool.message).toBe("The pool default is not active.");
    for (const { meaning, remedy } of Object.values(healthCodes)) {
      expect([meaning, remedy].every((text) => /^[A-Z].*\.$/.test(text))).toBe(true);
    }
  });

  it("of a later version have no code here", () => {
    expect(healthCodeNames.map(healthCodeNamed)).toEqual(healthCodeNames);
    expect(healthCodeNamed("toString")).toBeUndefined();
  });
});
