import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { beginOperatorStand, type OperatorStand } from "../../test/support/operator-stand.ts";
import { type EngineCheckOrder, engineCheck } from "./engine-check.ts";

let op: OperatorStand;
beforeEach(async () => {
  op = await beginOperatorStand();
});

const check = (order: Partial<EngineCheckOrder> = {}) =>
  engineCheck(
    { name: undefined, json: false, probe: false, image: undefined, deadline: "10", ...order },
    op.surroundings,
  );

describe("engine check", () => {
  it("prints a line for each finding, and ends with 0 for a fit cluster", async () => {
    expect(await check()).toBe(0);
    expect(op.printed).toContain("ok       members          cluster of 2: m1 and m2 online");
    expect(op.printed.at(-1)).toBe("north is ready.");
    expect(op.told).toEqual([]);
  });

  it("ends with 1 where there is a problem, whose line says what to do", async () => {
    op.configure({ images: { "debian-13": { alias: "debian-13" } } });
    expect(await check()).toBe(1);
    expect(op.printed).toContain(
      "problem  image debian-13  not on the cluster: lessor image import <file> --cluster north --alias debian-13",
    );
    expect(op.printed.at(-1)).toBe("north is not ready: 1 problem.");
  });

  it("makes probe instances unless told not to, and leaves none", async () => {
    op.stand.fake.onSession = (session) => session.end();
    expect(await check({ probe: true })).toBe(0);
    expect(op.printed.filter((line) => /^ok +probe on m[12] +created in/.test(line))).toHaveLength(2);
    expect(op.printed.at(-1)).toBe("north is ready, 1 warning.");
    expect(op.stand.fake.world.instances.size).toBe(0);
  });

  it("asks the GPU helpers of the settings", async () => {
    const command = ["/bin/sh", "-c", "echo no route to $0 >&2; exit 255", "{host}"];
    appendFileSync(join(op.directory, "lessor.yaml"), `gpus: { helpers: [{ command: ${JSON.stringify(command)} }] }\n`);
    expect(await check()).toBe(1);
    expect(op.printed.filter((line) => / GPU helper /.test(line))).toEqual([
      expect.stringMatching(/^problem +GPU helper on m1 .*exit code 255: no route to m1: Run the command by hand/),
      expect.stringMatching(/^problem +GPU helper on m2 /),
    ]);
  });

  it("--json prints one object a line and nothing else", async () => {
    op.configure({ pool: "nope" });
    expect(await check({ json: true })).toBe(1);
    const findings = op.printed.map((line) => JSON.parse(line));
    expect(findings.every((one) => one.cluster === "north" && one.what && one.detail)).toBe(true);
    expect(findings.find((one) => one.verdict === "problem")).toMatchObject({
      what: "pool nope",
      detail: "does not exist",
      advice: expect.stringContaining("storage create nope"),
    });
  });

  it("checks all clusters, or the one that is named", async () => {
    op.configure({}, { name: "south", pool: "nope" });
    expect(await check()).toBe(1);
    expect(op.printed).toEqual(expect.arrayContaining(["north:", "north is ready.", "south:"]));
    op.printed.length = 0;
    expect(await check({ name: "north" })).toBe(0);
    expect(op.printed).not.toContain("south:");
  });

  it("removes its probe instance when it is interrupted", async () => {
    op.stand.door.open = false;
    const checking = check({ probe: true });
    await expect.poll(() => op.stand.door.knocks).toBeGreaterThan(0);
    process.emit("SIGINT");
    expect(await checking).toBe(130);
    expect(op.told[0]).toMatch(/^Interrupted\. The test instance is being deleted\./);
    expect(op.stand.fake.world.instances.size).toBe(0);
  });
});

describe("engine check of libvirt hosts", () => {
  // No program is where these tests look for them, so that none is started.
  const without = () => ({ ...op.surroundings, env: { PATH: op.directory } });
  const checkThem = (name: string | undefined, json = false) =>
    engineCheck({ name, json, probe: true, image: undefined, deadline: "10" }, without());

  it("stands in one list with that of clusters, and says for itself whether they are fit", async () => {
    op.configureHosts({});
    expect(
      await engineCheck({ name: undefined, json: false, probe: false, image: undefined, deadline: "10" }, without()),
    ).toBe(1);
    expect(op.printed).toEqual(expect.arrayContaining(["north:", "north is ready.", "metal:"]));
    expect(op.printed.slice(-2)).toEqual([
      "problem  programs         virsh is not on this machine's PATH: apt-get install libvirt-clients",
      "metal is not ready: 1 problem.",
    ]);
  });

  it("is made of one engine by its name", async () => {
    op.configureHosts({});
    expect(await checkThem("metal")).toBe(1);
    expect(op.printed).not.toContain("north:");
    expect(await checkThem("west")).toBe(2);
    expect(op.told).toEqual(["The settings have no engine west. Engines: north, metal."]);
  });

  it("--json names the engine, also by the key that clusters have", async () => {
    op.configureHosts();
    await checkThem(undefined, true);
    expect(op.printed.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ engine: "metal", cluster: "metal", what: "programs", verdict: "problem" }),
    ]);
  });
});

describe("engine check that cannot run", () => {
  it("ends with 2 and says how engines are named, where there are none", async () => {
    rmSync(join(op.directory, "lessor.yaml"));
    expect(await check()).toBe(2);
    expect(op.told[0]).toMatch(
      /^The settings have no clusters, no libvirt hosts and no clouds\. Add some to lessor\.yaml.*urls: \[unix:\/\/.*uri: qemu/s,
    );
    expect(op.printed).toEqual([]);
  });

  it("names the engines that there are, where none of that name", async () => {
    expect(await check({ name: "west" })).toBe(2);
    expect(op.told).toEqual(["The settings have no engine west. Engines: north."]);
  });

  it("says what is wrong with the settings", async () => {
    op.configure({ kind: "pod" });
    expect(await check()).toBe(2);
    expect(op.told[0]).toContain("incus[0].kind in lessor.yaml must be virtual-machine or container");
  });

  it.each(["0", "soon", "", "1e9"])("refuses the deadline %j", async (deadline) => {
    expect(await check({ deadline })).toBe(2);
    expect(op.told).toEqual(["--deadline must be a number of seconds from 1 to 86400."]);
  });
});
