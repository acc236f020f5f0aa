// The step that checks the GPU helper of each serving member with the GPUs that the engine reports there.

import type { GpuHelperOf } from "../../../gpus/helper.ts";
import { checkGpuHelper } from "../../check/gpu-helper.ts";
import { hostName } from "../cluster.ts";
import { readHosts } from "../hosts.ts";
import { type Step, serving } from "./subject.ts";

export function helpersStep(helperOf: GpuHelperOf): Step {
  return async function* (subject, signal) {
    const { cluster } = subject;
    const served = new Set(serving(subject).map(({ server_name }) => hostName(cluster, server_name)));
    for (const report of await readHosts(cluster, new Map(), signal)) {
      if (served.has(report.name)) yield* checkGpuHelper(report, helperOf, signal);
    }
  };
}
