// The contract of engines, unchanged, on the real cluster.

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { IncusEngine, type IncusSettings } from "../../src/engines/incus/index.ts";
import { engineConformance } from "../engines/conformance.ts";
import { makeKey } from "./keys.ts";
import { labOf } from "./lab/index.ts";

const lab = labOf(inject("lab"));

const settings: IncusSettings = {
  name: "lab",
  endpoints: lab.members.map(({ socket }) => ({ kind: "unix", path: socket })),
  tls: undefined,
  regionOf: { kind: "all", region: "lab" },
  kind: "container",
  project: "default",
  pool: "default",
  nic: { kind: "network", network: "lxdbr0" },
  images: {},
  gpuModels: {},
  reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
  cpuRatio: 4,
  sshProbe: { kind: "command", command: lab.probeCommand, port: 22 },
  stopGraceSeconds: 5,
  hostPrefix: "",
};

engineConformance("incus, on a cluster of LXD", async () => {
  // Each test is an installation of its own, so none sees what another left or is about to remove.
  const installation = crypto.randomUUID();
  const directory = await mkdtemp(join(tmpdir(), "lessor-conformance-"));
  const key = await makeKey(directory, "key");
  const engine = new IncusEngine(settings, installation);
  const made: MachineSpec[] = [];
  return {
    engine,
    patienceMs: 60_000,
    lookEveryMs: 50,
    spec: (part) => {
      const spec: MachineSpec = {
        id: crypto.randomUUID(),
        host: lab.members[made.length % lab.members.length]?.name ?? "",
        accountId: crypto.randomUUID(),
        generation: 1,
        vcpus: 1,
        memoryGib: 1,
        storageGb: 1,
        gpuAddresses: [],
        image: "debian-12",
        guest: {
          hostname: "conformance",
          loginUser: "ubuntu",
          sshKeys: [readFileSync(`${key.file}.pub`, "utf8").trim()],
          password: undefined,
          jupyterToken: undefined,
          command: undefined,
          userData: undefined,
          envVars: { NAME: "value" },
          fileSystems: [],
        },
        ...part,
      };
      made.push(spec);
      return spec;
    },
    another: async () => new IncusEngine(settings, installation),
    close: async () => {
      await engine.close();
      const broom = new IncusEngine(settings, installation);
      for (const spec of made) await broom.remove(spec, AbortSignal.timeout(60_000));
      await broom.close();
      await rm(directory, { recursive: true });
    },
  };
});
