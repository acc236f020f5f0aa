// A machine moves between two real hosts with its disk: a file that was written before is read after. libvirtd of either
// host is killed during the copy, and QEMU before it and at the first start on the new host.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { EngineError, type MachineSpec, type MoveProgress } from "../../src/engines/engine.ts";
import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { openLinkedVirsh } from "../../src/engines/libvirt/rpc/linked-virsh.ts";
import { openVirsh, type Virsh } from "../../src/engines/libvirt/virsh/virsh.ts";
import { makeKey } from "../support/keys.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { vmLabOf } from "./lab/lab.ts";
import { cleanAfterwards, labSettings, loginUser, machineOn, nothingLeft } from "./service.ts";

const lab = vmLabOf(inject("vmLab"));
cleanAfterwards(lab);
const whenOver = afterFile();
const soon = () => AbortSignal.timeout(300_000);
const installation = crypto.randomUUID();
/** So that the disk is copied in many calls. */
const copyPace = { copyMs: 200, partBytes: 1024 ** 2 };
const fileMiB = 192;

function engineBy(connect: (uri: string) => Virsh, pace = copyPace): LibvirtEngine {
  const engine = new LibvirtEngine(labSettings(lab), installation, { connect, copyPace: pace });
  whenOver(() => engine.close());
  return engine;
}

/** What was left to processes of virsh. */
const byProcess: string[] = [];
const engine = engineBy((uri) => {
  const virsh = openVirsh(uri);
  const call: Virsh["call"] = (args, options) => {
    byProcess.push(args.join(" "));
    return virsh.call(args, options);
  };
  return openLinkedVirsh(uri, { ...virsh, call });
});

const key = await makeKey(await temporaryDirectory(0o700, whenOver), "ann");
const base = machineOn("h1");
const machine: MachineSpec = { ...base, guest: { ...base.guest, loginUser, sshKeys: [key.publicKey] } };

async function untilUsable(spec: MachineSpec): Promise<string> {
  let ip: string | undefined;
  const look = async () => {
    const report = await engine.inspect(spec, soon());
    ip = report?.ip;
    return report?.usable;
  };
  await expect.poll(look, { timeout: 240_000, interval: 200 }).toBe(true);
  return ip ?? "";
}

async function inside(ip: string, command: string): Promise<string> {
  const { code, stdout, stderr } = await lab.ssh({ ip, user: loginUser, key: key.file, command });
  if (code !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout.trim();
}

const untilHalted = (spec: MachineSpec) =>
  expect
    .poll(async () => (await engine.inspect(spec, soon()))?.power, { timeout: 120_000, interval: 100 })
    .toBe("halted");

async function killQemu(spec: MachineSpec): Promise<void> {
  const running = () => lab.qemuPids(spec.host).find(({ domain }) => domain === `lessor-${spec.id}`)?.pid;
  await expect.poll(running, { timeout: 60_000, interval: 20 }).toBeDefined();
  const pid = running();
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  await untilHalted(spec);
}

/** Calls until it is complete, as the reconciler does. `meanwhile` runs beside each call and gives whether it disturbs it. */
async function move(
  by: LibvirtEngine,
  spec: MachineSpec,
  from: string,
  meanwhile: (call: number) => Promise<void> = async () => {},
): Promise<{ readonly calls: readonly MoveProgress[]; readonly failures: readonly string[] }> {
  const calls: MoveProgress[] = [];
  const failures: string[] = [];
  for (let call = 1; ; call++) {
    try {
      const [progress] = await Promise.all([
        by.mover.copy(spec, from, calls.at(-1)?.copiedBytes ?? 0, soon()),
        meanwhile(call),
      ]);
      calls.push(progress);
      if (progress.isComplete) return { calls, failures };
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== "unavailable") throw error;
      failures.push(error.code);
      for (const host of ["h1", "h2"]) await lab.startDaemon(host);
    }
  }
}

let sum = "";

it("a file written before is on the new host after; both daemons and QEMU were killed meanwhile", async () => {
  await engine.create(machine, soon());
  await engine.start(machine, soon());
  const ip = await untilUsable(machine);
  const moved = { ...machine, host: "h2", generation: 2 };
  expect(await engine.mover.copy(moved, "h1", 0, soon()).catch((error: unknown) => error)).toMatchObject({
    kind: "unavailable",
    code: "machine-running",
  });
  sum = await inside(
    ip,
    `dd if=/dev/urandom of=written bs=1M count=${fileMiB} 2>/dev/null; sync; sha256sum < written; sync`,
  );
  expect(sum).toMatch(/^[0-9a-f]{64} /);
  await killQemu(machine);

  const began = performance.now();
  const { calls, failures } = await move(engine, moved, "h1", async (call) => {
    const [host, moment] = { 2: ["h2", 120], 5: ["h1", 80], 7: ["h2", 60] }[call] ?? [];
    if (typeof host !== "string") return;
    await sleep(Number(moment));
    await lab.killDaemon(host);
    await lab.startDaemon(host);
  });
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${calls.length} calls, ${failures} failed, ${seconds.toFixed(1)} s for ${fileMiB} MiB and more\n`,
  );
  expect(failures.length).toBeGreaterThan(0);
  expect(calls.filter(({ isComplete }) => !isComplete).length).toBeGreaterThan(2);
  expect(byProcess.filter((line) => line.startsWith("vol-upload") && line.includes(`${machine.id}.qcow2`))).toEqual([]);
  expect(await engine.mover.copy(moved, "h1", 0, soon()), "again").toMatchObject({ isComplete: true });
  const both = (await engine.list(soon())).machines.map(({ host, power }) => `${host} ${power}`).sort();
  expect(both).toEqual(["h1 halted", "h2 halted"]);

  await engine.start(moved, soon());
  await killQemu(moved);
  expect((await engine.inspect(machine, soon()))?.power, "the old copy stays").toBe("halted");
  await engine.start(moved, soon());
  const next = await untilUsable(moved);
  expect(await inside(next, "sha256sum < written")).toBe(sum);
  await inside(next, "echo after > later; sync");
  await engine.mover.removeCopy(machine, "h2", soon());
  await engine.mover.removeCopy(machine, "h2", soon());
  expect(await engine.inspect(machine, soon())).toBeUndefined();
  expect((await lab.leftovers()).filter((line) => line.includes("h1"))).toEqual([]);
  expect(await inside(next, "cat later")).toBe("after");
});

it("it goes back by processes of virsh, and is read again", async () => {
  const moved = { ...machine, host: "h2", generation: 2 };
  await engine.stop(moved, soon());
  await untilHalted(moved);
  const back = { ...machine, generation: 3 };
  const { calls } = await move(engineBy(openVirsh), back, "h2");
  expect(calls.length).toBeGreaterThan(1);
  await engine.start(back, soon());
  const ip = await untilUsable(back);
  expect(await inside(ip, "sha256sum < written; cat later")).toBe(`${sum}\nafter`);
  await engine.mover.removeCopy(moved, "h1", soon());
  await engine.remove(back, soon());
  await nothingLeft(lab);
});

it("one that was given up halfway leaves nothing on the new host, and the machine where it was", async () => {
  const stays = machineOn("h1");
  await engine.create(stays, soon());
  const moved = { ...stays, host: "h3" };
  await lab.killDaemon("h3");
  expect(await engine.mover.copy(moved, "h1", 0, soon()).catch((error: unknown) => error)).toMatchObject({
    kind: "unavailable",
  });
  await lab.startDaemon("h3");
  const slow = engineBy(openLinkedVirsh, { copyMs: 0, partBytes: 65_536 });
  expect(await slow.mover.copy(moved, "h1", 0, soon())).toMatchObject({ isComplete: false, copiedBytes: 65_536 });
  expect(await engine.inspect(moved, soon())).toBeUndefined();
  await engine.mover.removeCopy(moved, "h1", soon());
  expect((await lab.leftovers()).filter((line) => line.includes("h3"))).toEqual([]);
  await engine.start(stays, soon());
  await untilUsable(stays);
  await engine.remove(stays, soon());
  await nothingLeft(lab);
});
