// Runs once around the tests on real virtual machines: brings the lab up, and takes it down.

import type { TestProject } from "vitest/node";
import { startVmLab, type VmLabFacts } from "./lab/lab.ts";

declare module "vitest" {
  export interface ProvidedContext {
    vmLab: VmLabFacts;
  }
}

/** Returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const began = performance.now();
  const say = (line: string) => process.stderr.write(`lab: ${line}\n`);
  const { lab, stop } = await startVmLab({ log: say });
  say(`up after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  project.provide("vmLab", { slot: lab.slot });
  return stop;
}
