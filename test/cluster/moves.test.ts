// A machine moves between two members of a real cluster with its disk: a file that was written before is read after. The
// daemon of the new member, and then that of the old one, is killed during the copy.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { EngineError, type MachineSpec, type Mover } from "../../src/engines/engine.ts";
import { IncusEngine } from "../../src/engines/incus/engine.ts";
import { makeKey } from "../support/keys.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { labSettings, machineOn } from "./engine-settings.ts";
import { labOf } from "./lab/lab.ts";
import { loginUser } from "./service.ts";

const lab = labOf(inject("lab"));
const whenOver = afterFile();
whenOver(() => lab.clean());
const soon = () => AbortSignal.timeout(300_000);
const engine = new IncusEngine(labSettings(lab), crypto.randomUUID());
whenOver(() => engine.close());
const key = await makeKey(await temporaryDirectory(0o700, whenOver), "ann");
const fileMiB = 256;

// h1, through which the engine speaks with the cluster first, stays alive.
const base = machineOn("h2", { storageGb: 3 });
const machine: MachineSpec = { ...base, guest: { ...base.guest, loginUser, sshKeys: [key.publicKey] } };

function mover(): Mover {
  if (engine.mover === undefined) throw new Error("a cluster moves machines");
  return engine.mover;
}

async function boot(spec: MachineSpec): Promise<string> {
  await engine.start(spec, soon());
  let ip: string | undefined;
  const look = async () => {
    const report = await engine.inspect(spec, soon());
    if (report?.untold === true) await engine.start(spec, soon());
    ip = report?.ip;
    return report?.usable;
  };
  await expect.poll(look, { timeout: 120_000, interval: 100 }).toBe(true);
  return ip ?? "";
}

async function halt(spec: MachineSpec): Promise<void> {
  await engine.stop(spec, soon());
  const power = async () => (await engine.inspect(spec, soon()))?.power;
  await expect.poll(power, { timeout: 120_000, interval: 100 }).toBe("halted");
}

async function inside({ host }: MachineSpec, ip: string, command: string): Promise<string> {
  const { code, stdout, stderr } = await lab.ssh({ member: host, ip, user: loginUser, key: key.file, command });
  if (code !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout.trim();
}

/** Where the cluster has it: "member,state" of each. */
async function copies(): Promise<string[]> {
  const lines = await lab.lxc(["list", `lessor-${machine.id}`, "--format", "csv", "--columns", "Ls"]);
  return lines.trim().split("\n");
}

/** Calls until it is complete, as the reconciler does. Gives the codes of what failed meanwhile. */
async function move(spec: MachineSpec, from: string): Promise<string[]> {
  const failures: string[] = [];
  for (let call = 0; call < 300; call++) {
    try {
      if ((await mover().copy(spec, from, 0, soon())).isComplete) return failures;
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== "unavailable") throw error;
      failures.push(`${error.code} (${error.cause})`);
      await sleep(500);
    }
  }
  throw new Error(`it never came to its end: ${failures.join("; ")}`);
}

let sum = "";

it("a file written before is on the new member after, and there is one copy at any time", async () => {
  await engine.create(machine, soon());
  const ip = await boot(machine);
  const moved = { ...machine, host: "h3", generation: 2 };
  const refused = await mover()
    .copy(moved, "h2", 0, soon())
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: "unavailable", code: "machine-running" });
  const write = `dd if=/dev/urandom of=written bs=1M count=${fileMiB} 2>/dev/null; sync; sha256sum < written`;
  sum = await inside(machine, ip, write);
  expect(sum).toMatch(/^[0-9a-f]{64} /);
  await halt(machine);
  // A busy LXD 5.0 can reject one call while it still finishes another's; the reconciler repeats it, as is done here.
  await move(moved, "h2");
  expect(await copies()).toEqual(["h3,STOPPED"]);
  expect(await mover().copy(moved, "h2", 0, soon()), "again").toMatchObject({ isComplete: true });
  await mover().removeCopy(machine, "h3", soon());
  expect(await inside(moved, await boot(moved), "sha256sum < written")).toBe(sum);
  await halt(moved);
});

/**
 * LXD 5.0 deletes the old disk before it records the new member. Killed just in between, the daemon of either leaves an
 * instance that only an operator brings back.
 */
const kills = [
  ["new", "h3", "h2", "h2"],
  ["old", "h2", "h3", "h2"],
];

it.each(kills)(
  "where the daemon of the %s member is killed meanwhile, nothing is lost, and it is moved all the same",
  async (_, from = "", to = "", killed = "") => {
    const moved = { ...machine, host: to, generation: 3 };
    const first = mover()
      .copy(moved, from, 0, soon())
      .then(
        ({ isComplete }) => (isComplete ? "complete" : "in progress"),
        (error: unknown) => String(error),
      );
    await sleep(400);
    await lab.killMember(killed);
    await sleep(500);
    await lab.startMember(killed);
    const outcome = await first;
    const failures = await move(moved, from);
    process.stdout.write(
      `killed ${killed}: ${outcome}; then ${failures.length} failed: ${[...new Set(failures)].join("; ")}\n`,
    );
    expect(await copies()).toEqual([`${to},STOPPED`]);
    expect(await inside(moved, await boot(moved), "sha256sum < written")).toBe(sum);
    await halt(moved);
  },
);

it("one copy stays when a move is given up", async () => {
  const moved = { ...machine, host: "h1", generation: 4 };
  const [from = ""] = (await copies()).join().split(",");
  await mover().copy(moved, from, 0, soon());
  const given = async () => {
    await mover().removeCopy(moved, from, soon());
    return copies();
  };
  await expect.poll(() => given().catch(String), { timeout: 120_000, interval: 500 }).toHaveLength(1);
  await engine.remove(moved, soon());
});
