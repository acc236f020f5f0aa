// More options of a launch as somebody types them.

import { describe, expect, it } from "vitest";
import { maxUserDataBytes } from "../../../src/rules/user-data.ts";
import {
  checkOptions,
  costOfLifetime,
  countSet,
  firstWrong,
  hoursOf,
  lifetimeSeconds,
  validLifetime,
} from "./more-options.ts";
import { emptyOrder } from "./order.ts";

const free = { mostSeconds: null, priceCents: undefined, gpus: undefined, hasMetrics: undefined };
const fileSystem = (name: string, mountPoint = "") => ({ id: `id-${name}`, name, mountPoint });
const check = (part: Partial<typeof emptyOrder>, bounds = {}) =>
  checkOptions({ ...emptyOrder, ...part }, { ...free, ...bounds });

describe("an order of which nothing more is said", () => {
  it("has nothing wrong and nothing set", () => {
    expect(firstWrong(check({ fileSystems: [fileSystem("models")] }))).toBeUndefined();
    expect(countSet({ ...emptyOrder, fileSystems: [fileSystem("models")] })).toBe(0);
  });
});

describe("user data", () => {
  it("is measured in bytes, as the service does", () => {
    expect(check({ userData: "x".repeat(maxUserDataBytes) }).userData).toBeUndefined();
    expect(check({ userData: "ü".repeat(maxUserDataBytes / 2 + 1) }).userData).toMatch(/1048576 bytes/);
  });
});

describe("a mount point", () => {
  it.each(["data", "/", "/etc/x", "/mnt", "/home/ubuntu", "/a//b", "/a/../b", "/.ssh", " /data"])(
    "%j is refused at its file system, in the words of the service",
    (mountPoint) => {
      const { mountPoints } = check({ fileSystems: [fileSystem("a"), fileSystem("b", mountPoint)] });
      expect([...mountPoints.keys()]).toEqual(["id-b"]);
      expect(mountPoints.get("id-b")).toMatch(/^(Give|Choose) /);
    },
  );

  it.each([
    ["in another", [fileSystem("a", "/data"), fileSystem("b", "/data/b")], "id-b"],
    ["the same as another", [fileSystem("a", "/data"), fileSystem("b", "/data")], "id-b"],
    ["where the service mounts another", [fileSystem("a", "/mnt/b"), fileSystem("b")], "id-a"],
  ] as const)("is refused %s", (_, fileSystems, id) => {
    expect([...check({ fileSystems }).mountPoints.keys()]).toEqual([id]);
  });

  it("is taken anywhere else", () => {
    const fileSystems = [fileSystem("a", "/data"), fileSystem("b", "/home/ubuntu/b"), fileSystem("c")];
    expect(check({ fileSystems }).mountPoints.size).toBe(0);
  });
});

describe("a lifetime", () => {
  it.each([
    ["", null],
    [" ", null],
    ["8", 28_800],
    ["0.5", 1800],
    [".25", 900],
    ["1.", 3600],
    ["0", 0],
    ["-1", undefined],
    ["8h", undefined],
    ["1e3", undefined],
  ])("of %j hours is %s seconds", (typed, seconds) => {
    expect(lifetimeSeconds(typed)).toBe(seconds);
  });

  it("lies between a minute and ten years, and within that of the account", () => {
    expect(check({ lifetime: "0.01" }).lifetime).toMatch(/minute/);
    expect(check({ lifetime: "87600" }).lifetime).toBeUndefined();
    expect(check({ lifetime: "87601" }).lifetime).toMatch(/87,600 h/);
    expect(check({ lifetime: "2" }, { mostSeconds: 7200 }).lifetime).toBeUndefined();
    expect(check({ lifetime: "2.1" }, { mostSeconds: 7200 }).lifetime).toMatch(/2 h/);
  });

  it.each([
    ["8", null, 28_800],
    ["2", 7200, 7200],
    ["2.1", 7200, undefined],
    ["", 7200, undefined],
    ["0", null, undefined],
    ["8h", null, undefined],
  ])("of %j hours, where at most %s seconds are allowed, is quoted as %s", (typed, most, seconds) => {
    expect(validLifetime(typed, most)).toBe(seconds);
  });

  it("is shown in hours, with what it costs until then, to the micro-cent", () => {
    expect([hoursOf(28_800), hoursOf(1800), hoursOf(3_600_000)]).toEqual(["8 h", "0.5 h", "1,000 h"]);
    expect(costOfLifetime("75000000", 28_800)).toBe(600_000_000n);
    expect(costOfLifetime("100", 60)).toBe(1n);
  });
});

describe("a maximum price", () => {
  it("is an amount that the chosen instance type does not exceed", () => {
    expect(check({ maxPrice: "cheap" }).maxPrice).toMatch(/such as/);
    expect(check({ maxPrice: "0.74" }, { priceCents: 75 }).maxPrice).toMatch(/\$0\.75/);
    expect(check({ maxPrice: "$0.75" }, { priceCents: 75 }).maxPrice).toBeUndefined();
    expect(check({ maxPrice: "0.01" }).maxPrice).toBeUndefined();
  });
});

describe("an idle rule", () => {
  it("has minutes, and needs GPUs and an image that tells of their use", () => {
    const idle = { action: "stop", minutes: 60 } as const;
    expect(check({ idle }).idle).toBeUndefined();
    expect(check({ idle: { ...idle, minutes: "" } }).idle).toBe("Enter 5 to 43,200 minutes.");
    expect(check({ idle: { ...idle, minutes: 4 } }).idle).toMatch(/5 to/);
    expect(check({ idle }, { gpus: 0 }).idle).toMatch(/^Only instances with GPUs/);
    expect(check({ idle }, { gpus: 1, hasMetrics: false }).idle).toMatch(/^Its image has no agent/);
    expect(check({}, { gpus: 0 }).idle).toBeUndefined();
    expect(firstWrong(check({ idle }, { gpus: 0 }))).toBe("idle rule");
    expect(countSet({ ...emptyOrder, idle })).toBe(1);
  });
});

describe("what is told beside the button", () => {
  it("is the first that has to be mended", () => {
    expect(firstWrong(check({ lifetime: "x", maxPrice: "x" }))).toBe("maximum lifetime");
    expect(firstWrong(check({ fileSystems: [fileSystem("a", "x")] }))).toBe("mount points");
  });

  it("and how much is set while all of it is folded away", () => {
    const fileSystems = [fileSystem("a", "/data"), fileSystem("b")];
    expect(countSet({ ...emptyOrder, fileSystems, userData: "#!/bin/sh", lifetime: "8", password: true })).toBe(4);
    expect(countSet({ ...emptyOrder, hostSelector: "rack=r12" })).toBe(1);
  });
});
