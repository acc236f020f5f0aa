// The contract with the GPU helper of a host: one command on the host that lists and resets GPUs and drives NVSwitch
// partitions. wire.ts is the same contract in JSON.
// docs/reference/gpu-helper.md documents it. Used by the reconciler and by the engine check.
//
// Invariant: every call can be repeated, also after a lost response. A GPU counts as reset only with a verdict
// `isReset: true`: an error, or a verdict that is missing, says nothing about it. A reset is no promise of erased memory.

import type { HelperErrorCode, ResetFailure } from "./helper-codes.ts";
import { helperErrors } from "./helper-codes.ts";

/** `bus`: secondary bus reset, where the bridge serves this device alone. `function`: function-level reset. */
export type ResetMethod = "bus" | "function";

export interface HelperGpu {
  /** As engines report it, such as `0000:18:00.0`. */
  readonly address: string;
  /** The board's own number of the GPU, which partitions refer to. Null: not known. Never follows from PCI order. */
  readonly moduleId: number | null;
  /** For people: a name, or vendor and device id. */
  readonly model: string;
  /** The host's driver that is bound to it. Null: none. */
  readonly driver: string | null;
  /** What `reset` could use now, the preferred one first. Empty: it cannot be reset. */
  readonly resetMethods: readonly ResetMethod[];
}

/** One of the sets that the fabric manager predefines. */
export interface HelperPartition {
  /** The fabric manager's own. */
  readonly id: string;
  /** Module ids of its GPUs, ascending. */
  readonly gpus: readonly number[];
  readonly isActive: boolean;
}

export interface HelperList {
  /** In order of address. */
  readonly gpus: readonly HelperGpu[];
  /** Null: no fabric manager. */
  readonly fabricManager: string | null;
  /** Empty without a fabric manager. */
  readonly partitions: readonly HelperPartition[];
}

/** Of one GPU. `detail` and `message` are one line for operators. */
export type ResetVerdict =
  | { readonly address: string; readonly isReset: true; readonly method: ResetMethod; readonly detail: string }
  | { readonly address: string; readonly isReset: false; readonly code: ResetFailure; readonly message: string };

export interface HelperHealth {
  /** Of the helper, for people. */
  readonly helperVersion: string;
  /** `none`: the helper drives no partitions. `failed`: the fabric manager does not respond, or reports a failure. */
  readonly fabric: {
    readonly state: "none" | "ok" | "failed" /** "" if nothing is to say. */;
    readonly detail: string;
  };
  /** In order of address. `problems`: one line each for operators; empty: healthy as far as the host can tell. */
  readonly gpus: readonly { readonly address: string; readonly problems: readonly string[] }[];
}

/** Of one reset, at most: helpers refuse more. */
export const mostResetAddresses = 64;

/** Every method throws HelperError and nothing else. Calls for one host run one after the other. */
export interface GpuHelper {
  /** Changes nothing. */
  list(host: string, signal: AbortSignal): Promise<HelperList>;
  /** One verdict for each address (at most mostResetAddresses), in this order. Refuses a device that a machine uses. */
  reset(host: string, addresses: readonly string[], signal: AbortSignal): Promise<readonly ResetVerdict[]>;
  /** Does nothing if it is active. Refused (`partition-conflict`) while an active partition has one of its GPUs. */
  activate(host: string, partition: string, signal: AbortSignal): Promise<void>;
  /** Does nothing if it is not active. */
  deactivate(host: string, partition: string, signal: AbortSignal): Promise<void>;
  /** Changes nothing. */
  health(host: string, signal: AbortSignal): Promise<HelperHealth>;
}

/** The helper of a host. Undefined: the settings name none for it. */
export type GpuHelperOf = (host: string) => GpuHelper | undefined;

/**
 * How a call fails. `refused`: permanent, do not retry. `unavailable`: the result is unknown, retry later; the command
 * might still do what it was asked for. The message is one line for operators.
 */
export class HelperError extends Error {
  override name = "HelperError";
  readonly kind: "refused" | "unavailable";
  readonly code: HelperErrorCode;

  constructor(code: HelperErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.kind = helperErrors[code].kind;
  }
}
