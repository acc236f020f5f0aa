// The errors that NVIDIA's driver reports by number (XIDs), as far as they mean the hardware of a GPU: each is an event
// `instance.gpu_fault`. All others are left out: most are errors of programs, and those of firmware and drivers (such
// as 119 and 120) say nothing about the GPU, nor do repairs that worked (63) or counters that rise (92).
//
// Source of every row: NVIDIA's public Xid catalog, by the mnemonic and the resolution that it names for the number.

/** https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html */
export const xidCatalog = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html";

interface XidTraits {
  /** What the catalog calls it. */
  readonly mnemonic: string;
  /** What happened, for people: one sentence. */
  readonly meaning: string;
  /** The actions that the catalog names for it, at once and then. */
  readonly source: string;
}

export const hardwareXids = {
  48: {
    mnemonic: "ROBUST_CHANNEL_GPU_ECC_DBE",
    meaning: "An uncorrectable memory error (double-bit ECC) occurred.",
    source: "WORKFLOW_XID_48",
  },
  54: {
    mnemonic: "SILENT_RUNNING_PWR_REDUCED_CLOCKING",
    meaning: "The GPU has too little power: a connector is not plugged in.",
    source: "CHECK_MECHANICALS, then CONTACT_SUPPORT",
  },
  62: {
    mnemonic: "PMU_HALT_ERROR",
    meaning: "An internal controller of the GPU halted.",
    source: "RESET_GPU, then CONTACT_SUPPORT",
  },
  64: {
    mnemonic: "INFOROM_DRAM_RETIREMENT_FAILURE",
    meaning: "Defective memory could not be taken out of use.",
    source: "RESET_GPU, then CONTACT_SUPPORT",
  },
  74: {
    mnemonic: "NVLINK_ERROR",
    meaning: "A connection to another GPU (NVLink) failed.",
    source: "WORKFLOW_NVLINK_ERR, then CONTACT_SUPPORT",
  },
  79: {
    mnemonic: "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS",
    meaning: "The GPU no longer responds on its PCIe bus.",
    source: "RESTART_BM, then CONTACT_SUPPORT",
  },
  94: {
    mnemonic: "ROBUST_CHANNEL_CONTAINED_ERROR",
    meaning: "An uncorrectable memory error occurred that affects one program.",
    source: "RESTART_APP; memory of the GPU failed",
  },
  95: {
    mnemonic: "ROBUST_CHANNEL_UNCONTAINED_ERROR",
    meaning: "An uncorrectable memory error occurred that affects every program on the GPU.",
    source: "RESET_GPU",
  },
  140: {
    mnemonic: "UNRECOVERABLE_ECC_ERROR_ESCAPE",
    meaning: "An uncorrectable memory error occurred that the driver could not contain.",
    source: "RESET_GPU, then CONTACT_SUPPORT",
  },
  143: {
    mnemonic: "GPU_INIT_ERROR",
    meaning: "The GPU could not be initialized.",
    source: "RESET_GPU, then CONTACT_SUPPORT",
  },
  157: {
    mnemonic: "RESOURCE_RETIREMENT_FAILURE",
    meaning: "A defective part of the GPU could not be taken out of use.",
    source: "CONTACT_SUPPORT",
  },
} as const satisfies Record<number, XidTraits>;
export type HardwareXid = keyof typeof hardwareXids;

// Object.keys returns strings; these are the keys of the table.
export const hardwareXidNumbers = Object.keys(hardwareXids).map(Number) as readonly HardwareXid[];

/** The XID of this number; undefined for one that does not mean hardware, and for anything else. */
export function hardwareXidNumbered(number: unknown): HardwareXid | undefined {
  return hardwareXidNumbers.find((one) => one === number);
}
