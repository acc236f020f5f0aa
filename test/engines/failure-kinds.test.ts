// The failure kinds that are more than an answer to one call: work that is done late, guests that were told nothing,
// hosts that die, reports that are repeated, out of order or lost; and that a kind is only told what it heeds. The other
// kinds: simulated.test.ts.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { faultKindNames } from "../../src/rules/simulator-faults.ts";
import { eventually, failure, signal } from "../support/engine-calls.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

async function specOf({ id }: Launched): Promise<MachineSpec> {
  return { ...stage.spec(await stage.row(id)), gpuAddresses: [] };
}

/** An engine, and what it is told to make on a host of the world. */
async function onStage() {
  await stage.host();
  return { engine: stage.engine(), spec: await specOf(await stage.launchOne()) };
}

describe("work that happens late", () => {
  it("is not done while the caller waits, and is done after he gave up", async () => {
    const { engine, spec } = await onStage();
    await injectFaults(stage.db, { kind: "happens-late", operation: "create", times: 1, parameters: { seconds: 0.1 } });
    const creating = engine.create(spec, AbortSignal.timeout(1));
    expect(await stage.machines()).toEqual([]);
    await creating;
    expect(await stage.machines()).toEqual([spec.id]);
  });
});

describe("a guest that was told nothing", () => {
  it("runs, waits for its settings, and goes on when it is started once more", async () => {
    const { engine, spec } = await onStage();
    await engine.create(spec, signal());
    await injectFaults(stage.db, { kind: "forgets-secrets", operation: "start", times: 1 });
    expect(await engine.start(spec, signal())).toMatchObject({ power: "running", untold: true, usable: false });
    const told = await engine.start(spec, signal());
    expect(told).toMatchObject({ usable: true });
    expect(told).not.toHaveProperty("untold");
  });
});

describe("a host that dies during a call", () => {
  it("did what it was asked, answers nothing, and takes no other host with it", async () => {
    const { engine, spec } = await onStage();
    const other = { ...spec, id: crypto.randomUUID(), host: await stage.host() };
    await injectFaults(stage.db, { kind: "host-dies", operation: "create", times: 1 });
    expect(await failure(engine.create(spec, signal()))).toMatchObject({ code: "host-unreachable" });
    expect(await stage.machines()).toEqual([spec.id]);
    expect(await failure(engine.inspect(spec, signal()))).toMatchObject({ code: "host-unreachable" });
    await engine.create(other, signal());
    expect((await engine.list(signal())).unreachableHosts).toEqual([spec.host]);
  });

  it("takes all others with it where that is told", async () => {
    const { engine, spec } = await onStage();
    const other = await stage.host();
    await injectFaults(stage.db, { kind: "all-hosts-die", operation: "create", times: 1 });
    expect(await failure(engine.create(spec, signal()))).toMatchObject({ code: "host-unreachable" });
    expect((await engine.list(signal())).unreachableHosts.toSorted()).toEqual([spec.host, other].toSorted());
  });
});

describe("what the engine reports of its own accord", () => {
  async function watched() {
    const { engine, spec } = await onStage();
    const second = { ...spec, id: crypto.randomUUID() };
    for (const one of [spec, second]) await engine.create(one, signal());
    const reports: string[] = [];
    engine.watch((id) => reports.push(id));
    return { engine, spec, second, reports };
  }

  it("is repeated as often as is told", async () => {
    const { engine, spec, reports } = await watched();
    await injectFaults(stage.db, { kind: "repeats-reports", parameters: { copies: 4 }, times: 1 });
    await engine.changed(spec);
    await engine.changed(spec);
    expect(reports).toEqual(Array.from({ length: 5 }, () => spec.id));
  });

  it("comes in the wrong order", async () => {
    const { engine, spec, second, reports } = await watched();
    await injectFaults(stage.db, { kind: "reorders-reports", parameters: { seconds: 0.02 } });
    await engine.changed(spec);
    await engine.changed(second);
    await eventually(() => reports).toEqual([second.id, spec.id]);
  });

  it("does not come, of this machine", async () => {
    const { engine, spec, second, reports } = await watched();
    await injectFaults(stage.db, { kind: "loses-reports", machine: spec.id });
    await engine.changed(spec);
    await engine.changed(second);
    expect(reports).toEqual([second.id]);
  });

  it("is likewise when a boot is over", async () => {
    await stage.host();
    const engine = stage.engine({ boot: 0.01 });
    const spec = await specOf(await stage.launchOne());
    await engine.create(spec, signal());
    const reports: string[] = [];
    engine.watch((id) => reports.push(id));
    await injectFaults(stage.db, { kind: "repeats-reports", parameters: { copies: 2 } });
    await engine.start(spec, signal());
    await eventually(() => reports).toEqual([spec.id, spec.id]);
  });

  it("meets no call: an ordinary one stays as it is, and none of the times is used up", async () => {
    const { engine, spec } = await watched();
    await injectFaults(stage.db, { kind: "repeats-reports", times: 1 });
    await engine.inspect(spec, signal());
    const { rows } = await sql<{ remaining: number }>`select remaining from simulated.faults`.execute(stage.db);
    expect(rows).toEqual([{ remaining: 1 }]);
    await expect(injectFaults(stage.db, { kind: "loses-reports", operation: "stop" })).rejects.toThrow(
      "applies to no operation",
    );
  });
});

describe("a finding", () => {
  const healthOf = async () => (await stage.engine().hosts(signal())).map(({ health }) => health);

  it("is reported of the host, or of all, as often as is told, and meets no call", async () => {
    const host = await stage.host();
    await stage.host();
    await injectFaults(stage.db, { kind: "reports-finding", host, times: 1 });
    await stage.engine().list(signal());
    const finding = { code: "disk-space-low", severity: "warning", message: "Simulated." };
    expect(await healthOf()).toEqual([[finding], []]);
    expect(await healthOf()).toEqual([[], []]);
    const parameters = { code: "clock-skew", severity: "critical", message: "Late." };
    await injectFaults(stage.db, { kind: "reports-finding", parameters });
    expect(await healthOf()).toEqual([[parameters], [parameters]]);
  });

  it("is one that there is, and of no machine", async () => {
    const inject = (fault: object) => injectFaults(stage.db, { kind: "reports-finding", ...fault });
    await expect(inject({ parameters: { code: "dust" } })).rejects.toThrow("code must be one of storage-pool-error");
    await expect(inject({ parameters: { severity: "bad" } })).rejects.toThrow("severity must be warning or critical");
    await expect(inject({ machine: crypto.randomUUID() })).rejects.toThrow("applies to hosts");
  });
});

describe("what a kind is told", () => {
  it.each(faultKindNames)("%s: is refused where the kind does not heed it", async (kind) => {
    const parameters = { seconds: 1, code: "code", message: "message", copies: 1 };
    await expect(injectFaults(stage.db, { kind, parameters })).rejects.toThrow(`${kind} has no parameter`);
    await injectFaults(stage.db, { kind });
    await forgive(stage.db);
  });

  it("must be of the right type, and no negative number", async () => {
    const wrong = { seconds: "long" } as unknown as { seconds: number }; // as JSON of an operator may be
    await expect(injectFaults(stage.db, { kind: "boots-slowly", parameters: wrong })).rejects.toThrow(
      "must be a number",
    );
    const negative = injectFaults(stage.db, { kind: "boots-slowly", parameters: { seconds: -1 } });
    await expect(negative).rejects.toThrow("must not be negative");
  });

  it("names the kinds there are to an operator who wrote one that there is not", async () => {
    const { engine, spec } = await onStage();
    await sql`insert into simulated.faults (scope, kind) values ('everything', 'burns')`.execute(stage.db);
    expect(await failure(engine.inspect(spec, signal()))).toMatchObject({
      kind: "unavailable",
      code: "unknown-fault",
      message: expect.stringContaining('"burns"; known: refuses, unavailable'),
    });
  });
});
