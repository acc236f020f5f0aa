// Errors of virsh. It has no error codes, only messages: `means` is the only place that parses them.
//
// Invariant: an unknown message has no meaning; the result of the call then counts as unknown.

/** Messages of libvirt 5 and later that this engine acts on. */
const meanings = {
  /** The host, or its libvirt, does not respond. */
  unreachable:
    /failed to connect to the hypervisor|unable to connect to server|cannot recv data|client socket is closed|connection reset|end of file while reading|keepalive|cannot resolve|authentication (is required|failed)|failed to (get|verify) (the )?(peer's )?certificate|internal error: (received hangup|client)|disconnected from|packet \d+ bytes received from server too large/i,
  noSuchDomain: /domain not found|no domain with matching|failed to get domain/i,
  noSuchVolume: /storage volume not found|no storage vol with matching|failed to get vol/i,
  noSuchPool: /storage pool not found|no storage pool with matching|failed to get pool/i,
  noSuchNetwork: /network not found|no network with matching|failed to get network/i,
  noSuchFilter: /network filter not found|no nwfilter with matching|failed to get nwfilter/i,
  noSuchNode: /could not find node device|node device not found/i,
  /** Something is being written in the pool. */
  poolBusy: /has asynchronous jobs running/i,
  /** An object with this name or content exists already. */
  exists: /already exists|exists already|existing dhcp host entry|already active|is already/i,
  alreadyRunning: /domain is already (running|active)/i,
  notRunning: /domain is not running|domain is not active/i,
  noSuchReservation: /couldn't locate a matching dhcp host entry/i,
  noPassthrough:
    /doesn't support (VFIO PCI passthrough|passthrough of host PCI devices)|VFIO PCI device assignment is not supported|host device passthrough|failed to (bind|unbind) PCI device|iommu_group|is not assignable|viable/i,
  /** A PCI device to assign is not on the host (any more). */
  noSuchDevice: /Device [0-9a-f:.]+ not found: could not access \/sys\/bus\/pci/i,
  deviceInUse: /PCI device .* is in use|device .* is already in use/i,
  noMemory: /cannot allocate memory|cannot set up guest memory|unable to map backing store|insufficient free huge/i,
  noSpace: /no space left on device/i,
  noAccelerator:
    /accel 'kvm' is not supported|could not access KVM|failed to initialize kvm|virtType='kvm'|does not support virt type|could not find capabilities for .*domaintype=/i,
} as const satisfies Record<string, RegExp>;

/** Debian's packages of the programs. */
const packages = { virsh: "libvirt-clients", script: "bsdutils" } as const;

export type Meaning = keyof typeof meanings;

export class VirshError extends Error {
  /** What virsh printed, without its "error: ", lines joined by "; ". */
  readonly complaint: string;

  private constructor(message: string, complaint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "VirshError";
    this.complaint = complaint;
  }

  static notStarted(cause: Error): VirshError {
    const missing = "code" in cause && cause.code === "ENOENT";
    const program = "path" in cause && cause.path === "script" ? "script" : "virsh";
    const why = missing ? `${program} is not on PATH: install ${packages[program]}` : cause.message;
    return new VirshError(`virsh could not be started: ${why}`, "", { cause });
  }

  static ended(code: number | null, by: string | null, printed: string): VirshError {
    const complaint = printed
      .split("\n")
      .map((line) => line.replace(/^error: /, "").trim())
      .filter((line) => line !== "")
      .join("; ");
    const how = by === null ? `ended with ${code}` : `was ended by ${by}`;
    return new VirshError(`virsh ${how}${complaint === "" ? "" : `: ${complaint}`}`, complaint);
  }

  /** What libvirt itself responded. */
  static answered(complaint: string): VirshError {
    return new VirshError(`libvirt: ${complaint}`, complaint);
  }

  means(meaning: Meaning): boolean {
    return meanings[meaning].test(this.complaint);
  }
}

/** Whether it is an error of virsh with this meaning. */
export function says(error: unknown, meaning: Meaning): boolean {
  return error instanceof VirshError && error.means(meaning);
}

/** Runs the call; returns undefined for an error with this meaning. Throws all others. */
export async function unless<T>(meaning: Meaning, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (says(error, meaning)) return undefined;
    throw error;
  }
}
