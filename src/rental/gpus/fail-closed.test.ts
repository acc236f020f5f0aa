// No GPU is offered past its reset because an operator decided, its engine renamed it, or its host was deleted meanwhile.

import { sql } from "kysely";
import { beforeEach, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { removeHost, storedHost, upsertHost } from "../capacity/host-store.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { quarantineGpu, releaseGpu, retestGpu } from "./decisions.ts";
import { readGpu } from "./gpu-reading.ts";
import { setGpuPolicy, validationDefaults } from "./policies.ts";
import { claimResets, type HostResets, recordReset } from "./resets.ts";

const world = worldOfFile();
const address = "0000:01:00.0";
let host: string;
let operator: string;
let instanceType: string;

beforeEach(async () => {
  host = await world.host({ gpus: 1 });
  operator = (await world.account()).accountId;
  await world.image();
  instanceType = (await world.product()).name;
  await setPolicy("H100", "reset");
});

const setPolicy = (gpuModel: string, handover: "reset" | "reset+validate") =>
  world.tx((tx) =>
    setGpuPolicy(tx, {
      ...{ gpuModel, region: null, handover },
      validation: handover === "reset" ? null : { image: "check", ...validationDefaults },
    }),
  );
const gpu = () => readGpu(world.db, host, address);
const quarantine = () => world.tx((tx) => quarantineGpu(tx, host, address, { reason: "bad", by: operator }));

async function taken(): Promise<string> {
  return (await world.launchOne(await world.account(), { instanceType })).id;
}
async function ends(id: string): Promise<void> {
  await world.tx((tx) => releaseCapacity(tx, [id]));
  await world.put(id, "terminated");
}
async function claimed(): Promise<HostResets["gpus"][number]> {
  const [one] = (await claimResets(world.db, "simulated", { hosts: 10, gpus: 64 }, 60)).flatMap(({ gpus }) => gpus);
  if (one === undefined) throw new Error("nothing was to be reset");
  return one;
}
const succeeds = (reset: HostResets["gpus"][number]) =>
  world.tx((tx) => recordReset(tx, host, reset, { as: "sanitized" }));

it("a reset of before the last tenant makes no GPU free", async () => {
  await ends(await taken());
  const slow = await claimed();
  await quarantine();
  await succeeds(await released());
  await ends(await taken());
  expect(await succeeds(slow)).toBe(false);
  expect(await gpu()).toMatchObject({ state: "sanitizing" });
  expect(await succeeds(await claimed())).toBe(true);
  expect(await gpu()).toMatchObject({ state: "free" });
});

async function released(): Promise<HostResets["gpus"][number]> {
  const { confirmation, isResetBefore } = await world.tx((tx) =>
    releaseGpu(tx, host, address, { confirmation: undefined, by: operator }),
  );
  expect(isResetBefore).toBe(true);
  await world.tx((tx) => releaseGpu(tx, host, address, { confirmation, by: operator }));
  expect(await gpu()).toMatchObject({ state: "sanitizing" });
  return claimed();
}

it("one that was quarantined when its instance ended is reset before it is released, unless that fails", async () => {
  const id = await taken();
  await quarantine();
  await ends(id);
  expect(await gpu()).toMatchObject({ state: "quarantined" });
  const reset = await released();
  const outcome = { as: "failed", reason: "reset-failed", evidence: "" } as const;
  await world.tx((tx) => recordReset(tx, host, reset, outcome));
  const { confirmation, isResetBefore } = await world.tx((tx) =>
    releaseGpu(tx, host, address, { confirmation: undefined, by: operator }),
  );
  expect(isResetBefore).toBe(false);
  await world.tx((tx) => releaseGpu(tx, host, address, { confirmation, by: operator }));
  expect(await gpu()).toMatchObject({ state: "free" });
});

it("one that an instance has can be released from its quarantine to come, in two steps", async () => {
  const id = await taken();
  const release = (confirmation?: string) =>
    world.tx((tx) => releaseGpu(tx, host, address, { confirmation, by: operator }));
  await refusal("conflict", release());
  await quarantine();
  const { confirmation, isReleased } = await release();
  expect(isReleased).toBe(false);
  expect(await gpu()).toMatchObject({ quarantineNext: "bad" });
  expect(await release(confirmation)).toMatchObject({ isReleased: true, gpu: { state: "held", quarantineNext: null } });
  await ends(id);
  expect(await gpu()).toMatchObject({ state: "sanitizing" });
});

it("a reset that ran already answers no retest", async () => {
  await ends(await taken());
  const slow = await claimed();
  await quarantine();
  await world.tx((tx) => retestGpu(tx, host, address));
  expect(await succeeds(slow)).toBe(false);
  expect(await gpu()).toMatchObject({ state: "sanitizing" });
});

it.each(["H100 PCIe", "H100"])("the stricter policy counts of a GPU that is %s after its tenant", async (later) => {
  await setPolicy("H100", "reset+validate");
  const id = await taken();
  const { reported: _, overrides: __, ...stored } = await storedHost(world.db, host);
  const gpus = stored.gpus.map((one) => ({ ...one, model: later }));
  await world.tx((tx) => upsertHost(tx, { ...stored, gpus }));
  await ends(id);
  expect(await gpu()).toMatchObject({ model: later, state: "sanitizing", validationDue: "handover" });
});

it.each([
  ["sanitizing", { state: "sanitizing", reason: null }],
  ["quarantined", { state: "quarantined", reason: "bad" }],
])("one that is %s when its host is deleted is so when the host is there again", async (state, expected) => {
  await ends(await taken());
  if (state === "quarantined") await quarantine();
  const { reported: _, overrides: __, ...stored } = await storedHost(world.db, host);
  await world.tx((tx) => removeHost(tx, host));
  for (let time = 0; time < 2; time++) await world.tx((tx) => upsertHost(tx, stored));
  expect(await gpu()).toMatchObject(expected);
  const { rows } = await sql`select free from gpu_pools where host = ${host}`.execute(world.db);
  expect(rows).toEqual([{ free: 0 }]);
  if (state === "sanitizing") expect(await succeeds(await claimed())).toBe(true);
});

it("one in its first burn-in begins it anew when its host is there again", async () => {
  const policy = { image: "check", ...validationDefaults, burnInHours: 24 };
  await world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover: "none", validation: policy }));
  host = await world.host({ gpus: 1 });
  expect(await gpu()).toMatchObject({ state: "validating", validationDue: "burn-in" });
  const { reported: _, overrides: __, ...stored } = await storedHost(world.db, host);
  await world.tx((tx) => removeHost(tx, host));
  await world.tx((tx) => upsertHost(tx, stored));
  expect(await gpu()).toMatchObject({ state: "validating", validationDue: "burn-in" });
});
