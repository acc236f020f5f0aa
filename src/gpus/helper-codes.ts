// Why a call of the GPU helper fails, and why a GPU could not be reset: the codes as two tables, with their meaning and
// the remedy. helper.ts has the types, wire.ts reads the codes, docs/reference/gpu-helper.md shows the tables.

interface Code {
  /** What it means: one sentence. */
  readonly meaning: string;
  /** What the operator does: one sentence. */
  readonly remedy: string;
}

/** `by`: the helper's response says it, or the service finds it when it runs the command. */
export const helperErrors = {
  "bad-request": {
    ...{ kind: "refused", by: "helper" },
    meaning: "The request is not what the contract says.",
    remedy: "Use a helper and a Lessor of the same contract version.",
  },
  "unsupported-version": {
    ...{ kind: "refused", by: "helper" },
    meaning: "The helper speaks another version of the contract.",
    remedy: "Install the helper that comes with this Lessor.",
  },
  "unknown-partition": {
    ...{ kind: "refused", by: "helper" },
    meaning: "The fabric manager has no partition with this id.",
    remedy: "Compare the partitions with those of the board; see `list`.",
  },
  "partition-conflict": {
    ...{ kind: "refused", by: "helper" },
    meaning: "An active partition has one of the GPUs.",
    remedy: "Deactivate that partition first.",
  },
  "no-fabric": {
    ...{ kind: "refused", by: "helper" },
    meaning: "The helper has no partition tool.",
    remedy: "Set `fabric_tool` in the configuration of the helper.",
  },
  busy: {
    ...{ kind: "unavailable", by: "helper" },
    meaning: "Another call of the helper on this host has not ended.",
    remedy: "If it lasts, look for a reset that hangs, in the kernel's log.",
  },
  "fabric-failed": {
    ...{ kind: "unavailable", by: "helper" },
    meaning: "The partition tool failed, did not end in time, or did not do what it was asked for.",
    remedy: "Read the log of the fabric manager on the host.",
  },
  "host-failed": {
    ...{ kind: "unavailable", by: "helper" },
    meaning: "The helper cannot read what it needs on the host.",
    remedy: "Run it as root, and correct its configuration.",
  },
  "not-started": {
    ...{ kind: "unavailable", by: "service" },
    meaning: "The command could not be started.",
    remedy: "Install the program, or correct `gpus.helpers`.",
  },
  "command-failed": {
    ...{ kind: "unavailable", by: "service" },
    meaning: "The command ended without a response.",
    remedy: "Run the command by hand as the user of the service; the message has the end of its error output.",
  },
  "bad-response": {
    ...{ kind: "unavailable", by: "service" },
    meaning: "The response is not what the contract says, or is larger than 1 MiB.",
    remedy: "Keep the command's output to the one JSON object: banners and debug lines belong to the error output.",
  },
  deadline: {
    ...{ kind: "unavailable", by: "service" },
    meaning: "The command did not end within `timeout_seconds`.",
    remedy: "Check the connection to the host, and the kernel's log there.",
  },
  aborted: {
    ...{ kind: "unavailable", by: "service" },
    meaning: "The service ended the call, for example because it stops.",
    remedy: "None: it is repeated.",
  },
} as const satisfies Record<string, Code & { kind: "refused" | "unavailable"; by: "helper" | "service" }>;
export type HelperErrorCode = keyof typeof helperErrors;

export const resetFailures = {
  "unknown-device": {
    meaning: "The host has no PCI device with this address.",
    remedy: "If a GPU was there, it fell off the bus: power-cycle the host.",
  },
  "not-a-gpu": {
    meaning: "The device is of no class that the helper may reset.",
    remedy: "Correct the address, or `classes` in the configuration of the helper.",
  },
  "host-driver": {
    meaning: "A driver of the host is bound to the device.",
    remedy: "Bind the device to vfio-pci from the start of the host.",
  },
  "in-use": {
    meaning: "A process has the device open, such as a virtual machine that runs.",
    remedy: "Find the process that the message names, and why it was not ended.",
  },
  "use-unknown": {
    meaning: "Whether a process has the device open could not be read.",
    remedy: "Run the helper as root.",
  },
  "no-reset-method": {
    meaning: "Neither a bus reset for this device alone nor a function-level reset is possible.",
    remedy: "Use a kernel of 5.15 or newer, or a slot of its own for the GPU.",
  },
  "reset-failed": {
    meaning: "The kernel reported that the reset failed.",
    remedy: "Read the kernel's log on the host; power-cycle it.",
  },
  "not-back": {
    meaning: "The device did not respond after the reset.",
    remedy: "Power-cycle the host; replace the GPU if it happens again.",
  },
  "not-verified": {
    meaning: "The device responds, but its registers are not as after a reset.",
    remedy: "Read the message and the kernel's log; power-cycle the host.",
  },
  deadline: {
    meaning: "The reset did not end in time, and the kernel might still work on it.",
    remedy: "Read the kernel's log on the host; power-cycle it.",
  },
} as const satisfies Record<string, Code>;
export type ResetFailure = keyof typeof resetFailures;
