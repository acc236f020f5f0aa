// The options of a check, for every engine. Used by the check of each engine.

import type { GpuHelperOf } from "../../gpus/helper.ts";

export interface CheckOptions {
  /** Undefined: no test instances. */
  readonly probe:
    | {
        /** The catalog's name, or an alias; undefined: the first of the settings, or else the first that exists. */
        readonly image: string | undefined;
        /** For each instance, until it is ready. */
        readonly deadlineSeconds: number;
      }
    | undefined;
  /** The GPU helpers of hosts. Undefined: the settings have none, and none is checked. */
  readonly gpuHelper?: GpuHelperOf | undefined;
  /** Where programs are searched, in the form of PATH. */
  readonly path: string;
  /** Called with the current step, in a few words. */
  readonly onProgress: (what: string) => void;
}
