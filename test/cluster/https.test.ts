// The engine over HTTPS, with a client certificate and the cluster's own certificate pinned; and what it tells a guest
// that no interface asks for yet.

import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { IncusEngine } from "../../src/engines/incus/engine.ts";
import { labSettings, machineOn } from "./engine-settings.ts";
import { labOf } from "./lab/lab.ts";

const lab = labOf(inject("lab"));
const signal = () => AbortSignal.timeout(120_000);
const installation = crypto.randomUUID();
const made: MachineSpec[] = [];
let engine: IncusEngine;

beforeAll(async () => {
  const { certificate, key, serverFingerprint: sha256 } = await lab.clientCertificate();
  engine = new IncusEngine(
    {
      ...labSettings(lab),
      endpoints: lab.members.map(({ url }) => ({ kind: "https", url })),
      tls: { certificate, key, trust: { kind: "fingerprint", sha256 } },
    },
    installation,
  );
});
afterAll(async () => {
  for (const spec of made) await engine.remove(spec, signal());
  await engine.close();
});

async function boot(spec: MachineSpec): Promise<void> {
  made.push(spec);
  await engine.create(spec, signal());
  await engine.start(spec, signal());
  const usable = async () => (await engine.inspect(spec, signal()))?.usable;
  await expect.poll(usable, { timeout: 120_000, interval: 100 }).toBe(true);
}

/** What a root shell in the machine shows of the command, told by a line before and after. */
async function shell(spec: MachineSpec, command: string): Promise<string> {
  const terminal = await engine.openTerminal(spec, { kind: "shell", columns: 200, rows: 50 }, signal());
  let shown = "";
  terminal.onData((data) => {
    shown += Buffer.from(data).toString();
  });
  const ended = new Promise<void>((resolve) => terminal.onEnd(resolve));
  terminal.write(Buffer.from(`stty -echo; echo BE''GIN; ${command}; echo E''ND\n`));
  // Left only when all of it is here: LXD may lose the last words of a shell that ends behind them.
  await expect.poll(() => shown, { timeout: 120_000, interval: 50 }).toMatch(/END\r\n/);
  terminal.write(Buffer.from("exit\n"));
  await ended;
  return /BEGIN\r\n(.*)END\r\n/s.exec(shown)?.[1]?.replaceAll("\r\n", "\n") ?? shown;
}

it("makes machines, hears of them, and opens a terminal", async () => {
  const hints: string[] = [];
  const unwatch = engine.watch((id) => hints.push(id));
  const spec = machineOn("h2");
  await boot(spec);
  expect(hints).toContain(spec.id);
  expect(await shell(spec, "hostname; id -un; stty size")).toBe("conformance\nroot\n50 200\n");
  unwatch();
});

it.each([
  [
    "#cloud-config",
    "#cloud-config\nusers: [{name: theirs}]\nwrite_files: [{path: /root/theirs, content: 'yes'}]\nruncmd: [touch /root/ran]\n",
  ],
  ["a script", "#!/bin/sh\necho -n yes > /root/theirs\ntouch /root/ran\n"],
])("a customer's user-data, %s, is carried out, and takes nothing of ours away", async (_kind, userData) => {
  const plain = machineOn("h3");
  const guest = { ...plain.guest, userData, command: "touch /root/command", envVars: { NAME: "it's" } };
  const spec = { ...plain, guest };
  await boot(spec);
  const done = "for i in $(seq 100); do [ -e /root/ran ] && [ -e /root/command ] && break; sleep 0.2; done";
  expect(
    await shell(spec, `${done}; cat /root/theirs; echo; cat ~ubuntu/.env; wc -l < ~ubuntu/.ssh/authorized_keys`),
  ).toBe("yes\nNAME='it'\\''s'\n1\n");
});

it("a GPU that the member does not have is refused for good, by the cluster itself, and nothing is left", async () => {
  const spec = machineOn("h1", { gpuAddresses: ["0000:ff:00.0"] });
  made.push(spec);
  await engine.create(spec, signal());
  await expect(engine.start(spec, signal())).rejects.toMatchObject({ kind: "refused", code: "gpu-missing" });
  const shown = await lab.lxc(["config", "show", `lessor-${spec.id}`]);
  expect(shown).toContain("pci: 0000:ff:00.0");
  await engine.remove(spec, signal());
  expect(await engine.inspect(spec, signal())).toBeUndefined();
});
