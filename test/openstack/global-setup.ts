// Runs once around the tests of OpenStack: brings the lab up, and takes it down.

import type { TestProject } from "vitest/node";
import { type LabFacts, startLab } from "./lab/lab.ts";

declare module "vitest" {
  export interface ProvidedContext {
    openStackLab: LabFacts;
  }
}

/** Returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const began = performance.now();
  const say = (line: string) => process.stderr.write(`lab: ${line}\n`);
  const { lab, stop } = await startLab({ log: say });
  say(`up after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  project.provide("openStackLab", { slot: lab.slot });
  return stop;
}
