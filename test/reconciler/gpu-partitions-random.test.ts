// Random histories of instances on a host with NVSwitch partitions: steps that fail, happen twice, or are the last of a
// process, and a fabric manager with every fault. npm test plays a few of them, npm run test:crash many.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { GpuHelper } from "../../src/gpus/helper.ts";
import { type FailpointRunner, partitionFailpoints } from "../../src/reconciler/failpoints.ts";
import { GpuResets } from "../../src/reconciler/gpu-resets.ts";
import { releaseCapacity } from "../../src/rental/capacity/release.ts";
import { listGpus } from "../../src/rental/gpus/gpu-reading.ts";
import { waitsForPartition } from "../../src/rental/gpus/partitions/waiting.ts";
import { setGpuPolicy } from "../../src/rental/gpus/policies.ts";
import { sample } from "../support/extent.ts";
import {
  active,
  auditPartitions,
  beginPartitions,
  type FabricFault,
  FaultyFabric,
  host,
  launch,
  letTimePass,
  predefined,
  settings,
  stage,
  work,
} from "../support/partitions.ts";
import { fc } from "../support/properties.ts";
import { disturbing } from "../support/validating.ts";

beginPartitions();

const modes = ["fails before", "fails after", "twice", "dies before", "dies after"] as const;
const faults = ["hangs", "fails", "fails after", "wrong module", "restarts", "leaks", "other version"] as const;

const anyAction = fc.oneof(
  fc.record({ do: fc.constant("launch" as const), gpus: fc.constantFrom(1, 2, 4, 8) }),
  fc.record({
    do: fc.constant("end" as const),
    which: fc.nat(3),
    faults: fc.array(fc.constantFrom<FabricFault>(...faults), { maxLength: 2 }),
  }),
  fc.record({ do: fc.constant("fault" as const), fault: fc.constantFrom<FabricFault>(...faults) }),
  fc.record({
    do: fc.constant("disturb" as const),
    point: fc.constantFrom(...partitionFailpoints),
    mode: fc.constantFrom(...modes),
  }),
  fc.record({ do: fc.constant("work" as const), restarts: fc.boolean() }),
);

describe("whichever step fails, and whatever the fabric manager does", () => {
  it("active partitions never overlap, none runs without its own, no GPU is reset in one, and none is left", async () => {
    const history = fc.record({
      handover: fc.constantFrom("none" as const, "reset" as const),
      actions: fc.array(anyAction, { minLength: 4, maxLength: 10 }),
      // While all of them end.
      atEnd: fc.array(fc.constantFrom<FabricFault>(...faults), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ handover, actions, atEnd }) => {
        await begin(handover);
        const fabric = new FaultyFabric((await listGpus(stage.db, undefined, { host })).map(({ address }) => address));
        const steps: { point: string; mode: string }[] = [];
        const running = new Set<string>();
        const turn = async (isDisturbed: boolean) => {
          await letTimePass();
          const gate = isDisturbed ? disturbing(steps, () => {}) : undefined;
          await work(gate, fabric).catch(() => {});
          await holds(fabric, running);
          await reset(fabric, gate);
          await holds(fabric, running);
        };
        await work(undefined, fabric);
        for (const action of actions) {
          if (action.do === "fault") fabric.faults.push(action.fault);
          if (action.do === "disturb") steps.push(action);
          if (action.do === "work") await turn(true);
          if (action.do === "launch") {
            const launched = await launch(action.gpus).catch((error: unknown) => {
              if (!String(error).includes("capacity")) throw error;
              return undefined;
            });
            if (launched === undefined) continue;
            expect(await predefined()).toContainEqual(launched.gpuAddresses);
            running.add(launched.id);
          }
          if (action.do === "end") {
            const id = [...running][action.which];
            if (id === undefined) continue;
            await turn(true);
            await ends(id);
            running.delete(id);
            fabric.faults.push(...action.faults);
            await turn(true);
          }
          await holds(fabric, running);
        }
        steps.length = 0;
        fabric.faults.length = 0;
        for (let round = 0; round < 4; round++) await turn(false);
        // Now every one has its own.
        for (const id of running) {
          const { gpu_addresses: addresses } = await stage.row(id);
          expect(await waitsForPartition(stage.db, host, id)).toBe(false);
          expect(fabric.activeGpus).toContainEqual(addresses);
        }
        expect(fabric.activeGpus.length).toBe(running.size);
        for (const id of running) await ends(id);
        running.clear();
        fabric.faults.push(...atEnd);
        for (let round = 0; round < 4; round++) await turn(false);
        expect(fabric.activeGpus).toEqual([]);
        expect(await active()).toEqual([]);
        for (const { state } of await listGpus(stage.db, undefined, { host }))
          expect(["free", "quarantined"]).toContain(state);
        await auditPartitions();
      }),
      { numRuns: sample(5, 400) },
    );
  });
});

async function begin(handover: "none" | "reset"): Promise<void> {
  await sql`delete from instances`.execute(stage.db);
  await sql`delete from gpu_partitions`.execute(stage.db);
  await sql`
    update gpus set state = 'free', reason = null, evidence = null, attempts = 0 where host = ${host}`.execute(
    stage.db,
  );
  await sql`update gpu_pools set free = total, fits = null`.execute(stage.db);
  await sql`update gpu_fabrics set read_at = null, read_requests = read_requests + 1, failures = 0, due_at = now(), leased_until = now()`.execute(
    stage.db,
  );
  await stage.world.tx((tx) => setGpuPolicy(tx, { gpuModel: "H100", region: null, handover, validation: null }));
}

/** An instance is gone, and its machine is verified so. */
async function ends(id: string): Promise<void> {
  await stage.world.tx((tx) => releaseCapacity(tx, [id]));
  await stage.world.put(id, "terminated");
}

async function reset(helper: GpuHelper, gate: FailpointRunner = (_point, pass) => pass()): Promise<void> {
  const engine = Object.create(stage.engine(), { gpuHelper: { value: helper } });
  const resets = new GpuResets({ db: stage.db, engine, settings, log: stage.log, gate, helperOf: () => undefined });
  await resets.begin(new AbortController().signal).catch(() => {});
  await resets.ended();
}

/**
 * Active partitions share no GPU, in the database and at the fabric manager, no GPU was reset in one, and each instance
 * that does not wait for its own has it, unless the fabric manager restarted since it was read.
 */
async function holds(fabric: FaultyFabric, running: Iterable<string>): Promise<void> {
  const really = fabric.activeGpus.flat();
  expect(new Set(really).size).toBe(really.length);
  const known = (await active()).flatMap(({ addresses, active_for }) => (active_for === null ? [] : addresses));
  expect(new Set(known).size).toBe(known.length);
  if (fabric.isUnread) return;
  expect(fabric.resetWhileActive).toEqual([]);
  for (const id of running) {
    if (await waitsForPartition(stage.db, host, id)) continue;
    expect(fabric.activeGpus).toContainEqual((await stage.row(id)).gpu_addresses);
  }
}
