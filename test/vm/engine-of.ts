// The engine as the service has it, in the test's own process: for what no interface of the service shows yet, terminals
// and what a machine wrote to its console.

import { LibvirtEngine } from "../../src/engines/libvirt/engine.ts";
import { afterTest } from "../support/when-over.ts";
import type { VmLab } from "./lab/lab.ts";
import { labSettings } from "./service.ts";

/** It knows the machines of the service whose machine that is. Closed when the test is over. */
export async function engineOf(lab: VmLab, machine: { id: string; host: string }): Promise<LibvirtEngine> {
  const xml = await lab.virsh(machine.host, ["dumpxml", `lessor-${machine.id}`]);
  const installation = /<lessor:machine [^>]*installation=["']([^"']+)/.exec(xml)?.[1];
  if (installation === undefined) throw new Error(`The machine bears no mark:\n${xml}`);
  const engine = new LibvirtEngine(labSettings(lab), installation);
  afterTest(() => engine.close());
  return engine;
}
