// The states of an NVSwitch partition, as operators see them. Used by the rental, metrics, the control interface, the
// command line and the console.

export const partitionStates = ["inactive", "activating", "active", "deactivating"] as const;
export type PartitionState = (typeof partitionStates)[number];
/** Its GPUs reach each other. */
export const connected: PartitionState = "active";

/** What each means, for documents and tooltips: one sentence. */
export const partitionMeanings = {
  inactive: "It belongs to no instance, and the fabric manager has it inactive.",
  activating: "An instance or a validation has its GPUs, and waits for the fabric manager.",
  active: "The fabric manager has it active for the instance or the validation that has its GPUs.",
  deactivating: "It is, or might be, active for one that is gone, or for none.",
} as const satisfies Record<PartitionState, string>;
