// Engines on the fake cloud, for tests: a machine brought on as the reconciler does, and what the cloud has of it.

import { setTimeout as pause } from "node:timers/promises";
import {
  type Engine,
  EngineError,
  type MachineRef,
  type MachineReport,
  type MachineSpec,
} from "../../../src/engines/engine.ts";
import { OpenStackEngine } from "../../../src/engines/openstack/engine.ts";
import type { OpenStackSettings } from "../../../src/engines/openstack/settings/settings.ts";
import { nextStep, observedStateOf } from "../../../src/reconciler/step.ts";
import { signal } from "../engine-calls.ts";
import { machineSpecOn } from "../machine-spec.ts";
import { afterTest } from "../when-over.ts";
import type { FakePort } from "./networks.ts";
import type { FakeServer } from "./servers.ts";
import { beginStand, type Stand, type StandOptions } from "./stand.ts";

export interface EngineStand extends Stand {
  readonly engine: OpenStackEngine;
  /** As another replica has it, or this one after it was started again. */
  readonly another: (installation?: string) => OpenStackEngine;
  readonly spec: (part?: Partial<MachineSpec>) => MachineSpec;
}

/** `change`: of the settings. */
export async function beginEngines(
  options: StandOptions = {},
  change: (settings: OpenStackSettings, stand: Stand) => OpenStackSettings = (settings) => settings,
): Promise<EngineStand> {
  const stand = await beginStand(options);
  const settings = change(stand.settings, stand);
  const another = (installation = "installation-1") => {
    const engine = new OpenStackEngine(settings, installation);
    afterTest(() => engine.close());
    return engine;
  };
  return { ...stand, engine: another(), another, spec: (part) => machineSpecOn("gpu1", part) };
}

/**
 * Boots a machine that was never ready, one step after another as the reconciler does, until it is usable. What may be
 * tried again is, for thirty seconds at most. Throws what is refused.
 */
export async function booted(engine: Engine, spec: MachineSpec): Promise<MachineReport> {
  return follow(engine, spec, "booting", "ready");
}

/** The same of a machine that is to be halted. */
export function stopped(engine: Engine, spec: MachineSpec): Promise<MachineReport> {
  return follow(engine, spec, "stopping", "halted");
}

async function follow(engine: Engine, spec: MachineSpec, state: "booting" | "stopping", end: "ready" | "halted") {
  let last: unknown;
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await pause(5)) {
    try {
      const report = await engine.inspect(spec, signal());
      const action = nextStep(state, observedStateOf(report, false));
      if (action === end && report !== undefined) return report;
      last = report?.progress;
      if (action === "create" || action === "start") await engine[action](spec, signal());
      else if (action === "stop") await engine.stop(spec, signal());
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind === "refused") throw error;
      last = error;
    }
  }
  throw new Error("it did not come so far", { cause: last });
}

/** The machine's, newest last: those that are deleted too. */
export function serversOf({ world }: Pick<Stand, "world">, { id }: MachineRef): FakeServer[] {
  return [...world.servers.values()].filter(({ name }) => name === `lessor-${id}`);
}

/** Its only server. */
export function serverOf(stand: Stand, machine: MachineRef): FakeServer {
  const [server, ...others] = liveServersOf(stand, machine);
  if (server === undefined || others.length > 0)
    throw new Error(`it has ${server === undefined ? "no" : "several"} servers`);
  return server;
}

export function liveServersOf(stand: Stand, machine: MachineRef): FakeServer[] {
  return serversOf(stand, machine).filter(({ status }) => status !== "DELETED");
}

export function portsOf({ world }: Pick<Stand, "world">, { id }: MachineRef): FakePort[] {
  return [...world.networks.ports.values()].filter(({ name }) => name === `lessor-${id}`);
}

/** Security groups of this project but for its default one. */
export function groupsOf({ world, project }: Pick<Stand, "world" | "project">): string[] {
  return [...world.networks.groups.values()]
    .filter((one) => one.project === project.id && one.name !== "default")
    .map(({ id }) => id);
}
