// Guests that do what they like with what the engine looks at after their first boot: each can still be stopped, moved
// and removed, and harms only itself.

import { expect, inject, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { firstBootMark } from "../../src/engines/guest/boot-script.ts";
import { IncusEngine } from "../../src/engines/incus/engine.ts";
import { instanceName, marks } from "../../src/engines/incus/labels.ts";
import { afterFile } from "../support/when-over.ts";
import { labSettings, machineOn } from "./engine-settings.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("lab"));
const whenOver = afterFile();
whenOver(() => lab.clean());
const soon = () => AbortSignal.timeout(120_000);
const installation = crypto.randomUUID();

function engine(): IncusEngine {
  const one = new IncusEngine(labSettings(lab), installation);
  whenOver(() => one.close());
  return one;
}

async function reach(spec: MachineSpec, by: IncusEngine): Promise<void> {
  const look = async () => {
    const report = await by.inspect(spec, soon());
    if (report?.untold === true) await by.start(spec, soon());
    return report?.usable;
  };
  await expect.poll(look, { timeout: 120_000, interval: 100 }).toBe(true);
}

/** A machine that has booted, whose guest then does `trick`; and an engine that has not looked into it yet. */
async function tricked(trick: string, host = "h1") {
  const first = engine();
  const spec = machineOn(host);
  await first.create(spec, soon());
  await first.start(spec, soon());
  await reach(spec, first);
  const name = instanceName(spec.id);
  const label = async () => (await lab.lxc(["config", "get", name, marks.setUp])).trim();
  await expect.poll(label, { timeout: 60_000, interval: 100 }).toBe("true");
  await first.close();
  await lab.lxc(["exec", name, "--", "/bin/bash", "-c", trick]);
  await lab.lxc(["config", "unset", name, marks.setUp]);
  return { spec, name, other: engine() };
}

async function halt(spec: MachineSpec, by: IncusEngine): Promise<void> {
  await by.stop(spec, soon());
  const power = async () => (await by.inspect(spec, soon()))?.power;
  await expect.poll(power, { timeout: 60_000, interval: 100 }).toBe("halted");
}

it("a guest with a pipe in the place of the mark is looked into, stopped and removed", async () => {
  const { spec, other } = await tricked(`rm -rf ${firstBootMark} && mkfifo ${firstBootMark}`);
  await reach(spec, other);
  await halt(spec, other);
  await other.remove(spec, soon());
  expect(await other.inspect(spec, soon())).toBeUndefined();
});

it.each([
  ["never ends", "#!/bin/bash\nexec sleep infinity"],
  ["prints without an end", "#!/bin/bash\nexec cat /dev/zero"],
  ["says something else", "#!/bin/bash\necho no idea"],
  ["is no program", "none"],
  ["is not there", ""],
])("a guest whose shell %s is not usable, in time, and is stopped, moved and removed", async (_what, shell) => {
  const put = shell === "" ? "true" : `printf '%b' '${shell.replaceAll("\n", "\\n")}' >/bin/sh; chmod +x /bin/sh`;
  const { spec, name, other } = await tricked(`rm -f /bin/sh; ${put}`, "h2");
  const startedAt = async () => JSON.parse(await lab.lxc(["query", `/1.0/instances/${name}`])).last_used_at;
  const before = await startedAt();
  const began = performance.now();
  expect(await other.inspect(spec, soon())).toMatchObject({ power: "running", usable: false });
  expect(performance.now() - began).toBeLessThan(9000);
  expect(await startedAt()).toBe(before);
  // A command to which nothing is ever connected holds up no change.
  const body = { command: ["/bin/sleep", "600"], environment: {}, interactive: true, "wait-for-websocket": true };
  await lab.lxc(["query", "--request", "POST", "--data", JSON.stringify(body), `/1.0/instances/${name}/exec`]);
  await halt(spec, other);
  const moved = { ...spec, host: "h3", generation: 2 };
  const copied = async () => (await other.mover?.copy(moved, "h2", 0, soon()))?.isComplete;
  await expect.poll(copied, { timeout: 60_000, interval: 100 }).toBe(true);
  await other.remove(moved, soon());
  expect(await other.inspect(moved, soon())).toBeUndefined();
});
