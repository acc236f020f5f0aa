// What ended with a lost host may still run there: what it uses on shared storage is attached nowhere else before the
// host is surely off.

import { beforeEach, describe, expect, it } from "vitest";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { removeHost } from "../../src/rental/capacity/host-store.ts";
import { listFileSystems } from "../../src/rental/file-systems/file-systems.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { recordOff } from "../../src/rental/hosts/verified-off.ts";
import type { Principal } from "../../src/rental/service.ts";
import { auditEverything } from "../support/audit.ts";
import { refusal } from "../support/refusals.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

let host: string;
let reconciler: Reconciler;
let principal: Principal;
let name: string;

/** An instance has a file system on shared storage, and its host stops responding. */
beforeEach(async () => {
  host = await stage.host({ gpus: 4 });
  reconciler = stage.reconciler();
  principal = await stage.world.account();
  ({ name } = await stage.world.fileSystem(principal));
  await stage.launchOne({ principal, fileSystemNames: [name] });
  await reconciler.idle();
  await reconciler.sweepNow();
  await killHost(stage.db, host);
  await reconciler.sweepNow();
  await multiAttach(false);
});

/** Whether storage serves several instances at once. The next sync of hosts decides again. */
async function multiAttach(multi_attach: boolean): Promise<void> {
  await stage.db.updateTable("hosts").set({ multi_attach }).execute();
}

async function lost(): Promise<void> {
  const declare = (confirmation?: string) =>
    stage.world.tx((tx) => declareLost(tx, host, { reason: "Lost", confirmation, by: principal.accountId }));
  await declare((await declare()).confirmation);
}
const fenced = (at = new Date()) => stage.world.tx((tx) => recordOff(tx, host, at));
const isBlocked = async () => (await listFileSystems(stage.db, principal))[0]?.isBlocked;

/** A second instance with the same file system, on another host. */
async function elsewhere() {
  await stage.host();
  await multiAttach(false);
  return stage.launchOne({ principal, fileSystemNames: [name] });
}

describe("a file system on shared storage that a lost host used", () => {
  it("is blocked until the host is verified to be off", async () => {
    await lost();
    expect(await isBlocked()).toBe(true);
    const { message } = await refusal("conflict", elsewhere());
    expect(message).toContain("may still be in use on the failed host");
    await fenced();
    expect(await isBlocked()).toBe(false);
    const { id } = await elsewhere();
    await reconciler.idle();
    expect(await stage.state(id)).toBe("active");
    expect(await auditEverything(stage.db)).toMatchObject({ lost: [], capacity: [], spans: [], events: [] });
  });

  it("is not blocked where the host was verified to be off before it was lost", async () => {
    await fenced();
    expect(await readHost(stage.db, host)).toMatchObject({ offSince: expect.any(Date), state: "unreachable" });
    await lost();
    expect(await isBlocked()).toBe(false);
    await elsewhere();
  });

  it("is blocked until the host has returned and is clean", async () => {
    await lost();
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    expect([await isBlocked(), await stage.machines()]).toEqual([true, []]);
    await reconciler.sweepNow();
    expect(await isBlocked()).toBe(false);
  });

  it("is blocked until the lost host is deleted", async () => {
    await lost();
    await stage.world.tx((tx) => removeHost(tx, host));
    expect(await isBlocked()).toBe(false);
  });

  it("is not blocked where its storage serves several instances at once", async () => {
    await multiAttach(true);
    await lost();
    expect(await isBlocked()).toBe(false);
  });
});

describe("a host that is verified to be off", () => {
  it("is not any more when its engine reaches it", async () => {
    await fenced();
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    expect(await readHost(stage.db, host)).toMatchObject({ offSince: null, state: "up" });
    await refusal("conflict", fenced());
  });

  it("is not by a command that began before its engine reached it", async () => {
    const began = new Date();
    await reviveHost(stage.db, host);
    await reconciler.sweepNow();
    await travel(stage.db, "1 minute");
    await killHost(stage.db, host);
    await reconciler.sweepNow();
    const { message } = await refusal("conflict", fenced(new Date(began.getTime() - 3_600_000)));
    expect(message).toContain("reached it after the command began");
    expect((await readHost(stage.db, host)).offSince).toBeNull();
  });
});
