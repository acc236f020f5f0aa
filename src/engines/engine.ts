// The contract between Lessor and whatever runs machines: small, and idempotent by instance id. One conformance suite
// (test/engines/) runs against every engine. An engine knows nothing of accounts or money; fulfilment is its only caller.
//
// Invariant: every call may be repeated, also after a lost answer, and then changes nothing more.
// Terms. A machine is the engine's side of an instance; a host is where it runs.

/** What a machine is made of. Sizes in GiB of memory and GB of disk, as the product says. */
export interface MachineSpec {
  readonly id: string;
  readonly host: string;
  readonly accountId: string;
  readonly generation: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpuAddresses: readonly string[];
  readonly image: string;
  readonly guest: GuestSpec;
}

/** What the guest is told at boot. Holds secrets in plaintext: never logged, never stored by an engine in plaintext. */
export interface GuestSpec {
  readonly hostname: string;
  readonly loginUser: string;
  /** OpenSSH public key lines. */
  readonly sshKeys: readonly string[];
  /** Undefined: password login is off. */
  readonly password: string | undefined;
  /** What Jupyter in the guest asks for; undefined: the image provides none. */
  readonly jupyterToken: string | undefined;
  /** Run once, at first boot, as root. */
  readonly command: string | undefined;
  readonly envVars: Readonly<Record<string, string>>;
  /** Mounted at /mnt/<name>. */
  readonly fileSystems: readonly { readonly id: string; readonly name: string }[];
}

export interface MachineRef {
  readonly id: string;
  readonly host: string;
}

/** What an engine says of a machine now. `usable` = running, with an address, and answering on its SSH port. */
export interface MachineReport {
  readonly id: string;
  readonly host: string;
  readonly power: "starting" | "running" | "halted";
  readonly usable: boolean;
  readonly ip: string | undefined;
  /** One short sentence for people, such as "waiting for SSH". */
  readonly progress: string | undefined;
}

/** Everything an engine has, as far as it could see. */
export interface MachineListing {
  readonly machines: readonly MachineReport[];
  /** Hosts that did not answer: of machines there nothing is known, and their absence from the list means nothing. */
  readonly unreachableHosts: readonly string[];
}

/** A host as the engine finds it. */
export interface HostReport {
  readonly name: string;
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly available: boolean;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy: boolean;
  }[];
}

export interface Engine {
  readonly name: string;
  /** Every host, with what it has. */
  hosts(signal: AbortSignal): Promise<HostReport[]>;
  /** Makes the machine, halted. Finds its own where a former call already made it. Answers with it as it is then. */
  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport>;
  /** Begins to start it; `inspect` tells when it is usable. Nothing to do where it runs. Answers as `create` does. */
  start(machine: MachineRef, signal: AbortSignal): Promise<MachineReport>;
  /** Begins to halt it, keeping its data; `inspect` tells when it is halted. Nothing to do where it is. Likewise. */
  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport>;
  /** Removes it with its data; when this resolves nothing of it is left. Nothing to do where nothing is left. */
  remove(machine: MachineRef, signal: AbortSignal): Promise<void>;
  /**
   * The machine as it is now, or undefined where the engine is sure that it has none of this id: that destroys a rental.
   * A host that does not answer is `unavailable` with the code `hostUnreachable`, never undefined.
   */
  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined>;
  /** Every machine with our mark, in one request. */
  list(signal: AbortSignal): Promise<MachineListing>;
  /** Calls back with the id of each machine that may have changed: a hint, never the truth. Returns how to stop. */
  watch(onChange: (machineId: string) => void): () => void;
  /** Ends timers and connections; machines go on. */
  close(): Promise<void>;
}

/** The code of the EngineError (`unavailable`) for a machine on a host that does not answer. */
export const hostUnreachable = "host-unreachable";

/** The code of the EngineError (`unavailable`) where start or stop found no machine: only `inspect` is sure of that. */
export const noSuchMachine = "no-such-machine";

/**
 * How an engine refuses or fails. `refused`: this will never work, give up (the reason is shown to the customer).
 * `unavailable`: nobody knows what happened, try again later. Anything else an engine throws counts as unavailable.
 */
export class EngineError extends Error {
  readonly kind: "refused" | "unavailable";
  /** Stable and short, such as "image-missing"; becomes the instance's failure code. */
  readonly code: string;

  constructor(kind: "refused" | "unavailable", code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.kind = kind;
    this.code = code;
  }
}
