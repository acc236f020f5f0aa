// What the work on GPUs at the helpers of their hosts needs. Used by gpu-resets.ts and gpu-partitions.ts.

import type { Database } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import type { GpuHelperOf } from "../gpus/helper.ts";
import type { FailpointRunner } from "./failpoints.ts";
import type { Log } from "./log.ts";
import type { Settings } from "./settings.ts";

export interface GpuHelperDependencies {
  readonly db: Database;
  readonly engine: Engine;
  /** For hosts whose engine has no helper of its own; undefined: the host has none. */
  readonly helperOf: GpuHelperOf;
  readonly settings: Settings;
  readonly log: Log;
  readonly gate: FailpointRunner;
}
