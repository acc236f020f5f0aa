// The contract between Lessor and whatever runs machines: small, and idempotent by instance id. One conformance suite
// (test/engines/) runs against every engine. An engine knows nothing of accounts or money; the reconciler is its only caller.
//
// Invariant: every call may be repeated, also after a lost answer, and then changes nothing more.
// Terms. A machine is the engine's side of an instance; a host is where it runs.

import type { Transaction } from "../database/connect.ts";

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
  /** What may come in. Undefined: everything. Empty: nothing. What the machine began itself is answered in any case. */
  readonly inbound?: Inbound;
}

/** Whatever one of the rules lets in. */
export type Inbound = readonly InboundRule[] | undefined;

/** What comes from this network, in CIDR notation, by this protocol, to one of these ports. */
export interface InboundRule {
  /** `all`: TCP and UDP; with the ports 1 to 65535, whatever else there is too. */
  readonly protocol: "tcp" | "udp" | "icmp" | "all";
  /** Both of them included; null: icmp, which has none. */
  readonly ports: readonly [from: number, to: number] | null;
  /** IPv4 or IPv6. */
  readonly source: string;
}

/** What the guest is told at boot. Holds secrets in plaintext: never logged, and but for `userData` never stored by an engine in plaintext. */
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
  /** cloud-init's user-data of the customer, in any of its formats; undefined: none. Engines store it, as all user-data. */
  readonly userData: string | undefined;
  readonly envVars: Readonly<Record<string, string>>;
  readonly fileSystems: readonly GuestFileSystem[];
}

/** Made, with this size, where it does not exist yet; its data stays when the machine goes. */
export interface GuestFileSystem {
  readonly id: string;
  readonly name: string;
  readonly sizeGb: number;
  /** An absolute path of letters, digits, `.`, `_` and `-`, which is no other's and in no other's. */
  readonly mountPoint: string;
}

export interface MachineRef {
  readonly id: string;
  readonly host: string;
}

export interface FileSystemRef {
  readonly id: string;
  /** Where it was first attached; undefined: it is shared storage. */
  readonly host: string | undefined;
}

/** `shell`: a root shell in the guest. `console`: its serial console, as with a screen at the machine. */
export interface TerminalOrder {
  readonly kind: "shell" | "console";
  readonly columns: number;
  readonly rows: number;
}

/** An open session. What is written after its end is lost, and that is no error. */
export interface Terminal {
  /** What the machine shows, as it comes. One listener; what came before it is given to it first. */
  onData(listener: (data: Uint8Array) => void): void;
  /** Called once, when the session has ended, from either side. */
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many bytes were written that the machine has not taken yet. */
  unread(): number;
  /** With false `onData` is soon called no more, until true. Undefined: the engine cannot hold back what comes. */
  readonly flow?: ((on: boolean) => void) | undefined;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** What an engine says of a machine now. `usable` = running, with an address, and answering on its SSH port. */
export interface MachineReport {
  readonly id: string;
  readonly host: string;
  readonly power: "starting" | "running" | "halted";
  readonly usable: boolean;
  /** The guest runs and must be told its secrets before it can go on: `start` it again, which does that. */
  readonly untold?: boolean;
  /** Halted, but perhaps only on its way through a reboot from inside: to be believed when it lasts. */
  readonly mayComeBack?: boolean;
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
  /** Whether a file system that was made here can be attached on other hosts of the region too. */
  readonly sharedStorage: boolean;
  /** Whether a file system on its storage can be attached to several machines at once, wherever it can be attached. */
  readonly multiAttach: boolean;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    /** 0: the engine cannot say. */
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy: boolean;
  }[];
}

/** A host to be. Sizes in GiB of memory and GB of disk; GPUs are healthy unless told. */
export interface RegisteredHost {
  readonly name: string;
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy?: boolean;
  }[];
}

/** The engine's side of rental/capacity/host-registry.ts, which says what each call has to do. */
export interface HostRegistry {
  readonly storage: { readonly sharedStorage: boolean; readonly multiAttach: boolean };
  put(tx: Transaction, host: RegisteredHost): Promise<void>;
  remove(tx: Transaction, name: string): Promise<void>;
}

export interface Engine {
  readonly name: string;
  /** Its hosts, where each is a world of its own, which may be exchanged alone; undefined: all of them are one. */
  readonly worlds?: readonly string[] | undefined;
  /**
   * What becomes of `inbound`. `enforced`: nothing else comes in, from before the machine first starts. `recorded`: it is
   * kept, and keeps nobody out, for there is nobody. Undefined: the engine cannot filter, and is given no such machine.
   * As far as it knows by now: what it learns of its hosts may change the answer.
   */
  readonly firewalls?: "enforced" | "recorded" | undefined;
  /** Where hosts are registered that exist because an operator says so. Undefined: its hosts are discovered. */
  readonly hostRegistry?: HostRegistry | undefined;
  /**
   * What tells the world it shows from another one, in words that stay the same: where the two differ, so do machines.
   * `host`: one of `worlds`, where there are such.
   */
  identity(signal: AbortSignal, host?: string): Promise<string>;
  /** Every host, with what it has. */
  hosts(signal: AbortSignal): Promise<HostReport[]>;
  /** Makes the machine, halted. Finds its own where a former call already made it. Answers with it as it is then. */
  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport>;
  /**
   * Begins to start it; `inspect` tells when it is usable. Nothing to do where it runs. Answers as `create` does. Has the
   * whole spec, because some guests can be told their secrets only while they run (`untold`).
   */
  start(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport>;
  /** Begins to halt it, keeping its data; `inspect` tells when it is halted. Nothing to do where it is. Likewise. */
  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport>;
  /** Removes it with its data; when this resolves nothing of it is left. Nothing to do where nothing is left. */
  remove(machine: MachineRef, signal: AbortSignal): Promise<void>;
  /**
   * Has this come in to the machine from now on and nothing else, whether it runs or not; on an engine with `firewalls`.
   * No machine: EngineError `unavailable` (`noSuchMachine`).
   */
  readonly setInbound?: ((machine: MachineRef, inbound: Inbound, signal: AbortSignal) => Promise<void>) | undefined;
  /** Removes a file system with its data; no machine has it. Nothing to do where nothing is left. */
  removeFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<void>;
  /**
   * How many bytes the file system takes on its storage now. Undefined: the storage cannot say, or there is none such.
   */
  measureFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<number | undefined>;
  /**
   * The machine as it is now, or undefined where the engine is sure that it has none of this id: that destroys a rental.
   * A host that does not answer is `unavailable` with the code `hostUnreachable`, never undefined.
   */
  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined>;
  /** Every machine with our mark, in one request. */
  list(signal: AbortSignal): Promise<MachineListing>;
  /**
   * Calls back with the id of each machine that may have changed: a hint, never the truth. `onGap`: something may have
   * changed without a hint, so look at everything. Returns how to stop.
   */
  watch(onChange: (machineId: string) => void, onGap?: () => void): () => void;
  /** What the machine wrote to its console since it was last started, as far as it is kept; "" where nothing is. */
  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string>;
  /** An interactive session in the machine, which runs. `signal` bounds the opening, not the session. */
  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
  /** Ends timers and connections; machines go on. */
  close(): Promise<void>;
}

/** The code of the EngineError (`unavailable`) for a machine on a host that does not answer. */
export const hostUnreachable = "host-unreachable";

/** The code of the EngineError (`unavailable`) where start or stop found no machine: only `inspect` is sure of that. */
export const noSuchMachine = "no-such-machine";

/** The code of the EngineError (`refused`) where rules would hold for a machine, and its host cannot keep them. */
export const noFirewall = "firewall-not-supported";

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
