// The step that checks the GPU helper of a host with the GPUs that the engine reports there.

import type { GpuHelperOf } from "../../../gpus/helper.ts";
import { checkGpuHelper } from "../../check/gpu-helper.ts";
import { readInventory } from "../host/inventory.ts";
import { hostReport } from "../host/report.ts";
import type { Step } from "./subject.ts";

export function helperStep(helperOf: GpuHelperOf): Step {
  return async function* ({ place }, signal) {
    const { host, settings, virsh } = place;
    const report = hostReport(host, settings, await readInventory(virsh, settings, signal));
    if (report !== undefined) yield* checkGpuHelper(report, helperOf, signal);
  };
}
