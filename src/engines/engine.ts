// The contract with what runs machines: small, and idempotent by instance id. One conformance suite (test/engines/)
// runs against every engine. An engine knows neither accounts nor money; the reconciler is its main caller.
//
// Invariant: every call can be repeated, also after a lost response, and then changes nothing more. Terms: a machine is
// the engine's side of an instance; a host is where it runs.

import type { Database, Transaction } from "../database/connect.ts";
import type { GpuHelper } from "../gpus/helper.ts";
import type { DaemonSign, HostFinding } from "../rules/host-health.ts";
import type { FaultOrder, StoredFault } from "../rules/simulator-faults.ts";

/** The size and contents of a machine, in GiB of memory and GB of disk, as the instance type defines them. */
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
  /** Allowed inbound traffic. Undefined: all. Empty: none. Replies to connections of the machine are always allowed. */
  readonly inbound?: Inbound;
  /** Its image has the agent that reports metrics: the machine gets a channel for it (`Engine.guestMetrics`). */
  readonly hasMetrics?: boolean;
  /** Its guest takes files while it runs (`Engine.writeGuestFile`): engines without another way in give it a channel. */
  readonly takesFiles?: boolean;
  /** How long its console output is read after a start, where the engine has to read it itself. Default: ten minutes. */
  readonly consoleSeconds?: number;
}

/** Traffic that any of the rules allows. */
export type Inbound = readonly InboundRule[] | undefined;

/** Allows traffic from this network (CIDR) by this protocol to these ports. */
export interface InboundRule {
  /** `all`: TCP and UDP; with the ports 1 to 65535, every protocol. */
  readonly protocol: "tcp" | "udp" | "icmp" | "all";
  /** Inclusive; null for icmp, which has no ports. */
  readonly ports: readonly [from: number, to: number] | null;
  readonly source: string;
}

/**
 * What the guest gets at boot. Contains secrets in plaintext: never logged, and except for `userData` never stored by
 * an engine in plaintext.
 */
export interface GuestSpec {
  readonly hostname: string;
  readonly loginUser: string;
  /** OpenSSH public key lines. */
  readonly sshKeys: readonly string[];
  /** Undefined: password login is disabled. */
  readonly password: string | undefined;
  /** The token that Jupyter in the guest requires; undefined: the image provides no Jupyter. */
  readonly jupyterToken: string | undefined;
  readonly command: string | undefined;
  /** The customer's cloud-init user-data, in any of its formats. Engines store it, like all user-data. */
  readonly userData: string | undefined;
  readonly envVars: Readonly<Record<string, string>>;
  readonly fileSystems: readonly GuestFileSystem[];
}

/** Created with this size if it does not exist; its data stays when the machine is removed. */
export interface GuestFileSystem {
  readonly id: string;
  readonly name: string;
  readonly sizeGb: number;
  /** An absolute path of letters, digits, `.`, `_` and `-`; not equal to another's or inside it. */
  readonly mountPoint: string;
}

export interface MachineRef {
  readonly id: string;
  readonly host: string;
}

export interface FileSystemRef {
  readonly id: string;
  /** Where it was first attached; undefined: on shared storage. */
  readonly host: string | undefined;
}

/** `shell`: a root shell in the guest. `console`: its serial console. */
export interface TerminalOrder {
  readonly kind: "shell" | "console";
  readonly columns: number;
  readonly rows: number;
}

/** An open session. Data written after its end is silently discarded. */
export interface Terminal {
  /** The machine's output. One listener; earlier output is delivered to it first. */
  onData(listener: (data: Uint8Array) => void): void;
  /** Called once, when either side has ended the session. */
  onEnd(listener: () => void): void;
  write(data: Uint8Array): void;
  /** How many written bytes the machine has not read yet. */
  unread(): number;
  /** `false` soon pauses `onData`, `true` resumes it. Undefined: the engine cannot pause output. */
  readonly flow?: ((on: boolean) => void) | undefined;
  resize(columns: number, rows: number): void;
  close(): void;
}

/** The current state of a machine. `usable`: ready, that is running, with an address, and responding on its SSH port. */
export interface MachineReport {
  readonly id: string;
  readonly host: string;
  readonly power: "starting" | "running" | "halted";
  readonly usable: boolean;
  /** The guest runs and its secrets are pending: another `start` delivers them. */
  readonly untold?: boolean;
  /** Halted, but it might be rebooting from inside: counts only if it lasts. */
  readonly mayComeBack?: boolean;
  readonly ip: string | undefined;
  /** One short phrase for people, such as "waiting for SSH". */
  readonly progress: string | undefined;
}

/** A machine in the list of all. Of a million, addresses and phrases would take 50 MB, and a full resync needs neither. */
export type ListedMachine = Omit<MachineReport, "ip" | "progress">;

/** All machines of an engine, as far as it could reach them. */
export interface MachineListing {
  readonly machines: readonly ListedMachine[];
  /** Hosts that did not respond: their machines might be missing from the list, which means nothing. */
  readonly unreachableHosts: readonly string[];
  /**
   * Hosts that responded, and whose machines their operator has stopped at the engine for a time: that one does not run
   * says nothing about its guest. Undefined: none.
   */
  readonly evacuatedHosts?: readonly string[] | undefined;
}

/** A host as the engine reports it. */
export interface HostReport {
  readonly name: string;
  readonly region: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly available: boolean;
  /** Whether a file system created here can be attached on other hosts of the region. */
  readonly sharedStorage: boolean;
  /** Whether a file system can be attached to several machines at once. */
  readonly multiAttach: boolean;
  readonly gpus: readonly {
    readonly address: string;
    readonly model: string;
    /** 0: unknown. */
    readonly memoryGib: number;
    readonly numaNode: number;
    readonly healthy: boolean;
  }[];
  /**
   * Its problems though it responds, by rules/host-health.ts. Undefined: not known now, and what was found
   * before stands. Restarts of its daemon are not among them: they follow from `daemon`.
   */
  readonly health?: readonly HostFinding[] | undefined;
  /** Undefined: the engine cannot tell, or nothing is new. */
  readonly daemon?: DaemonSign | undefined;
}

/** A host to register. Sizes in GiB of memory and GB of disk; GPUs are healthy by default. */
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

/** The engine's side of rental/capacity/host-registry.ts, which defines each call. */
export interface HostRegistry {
  readonly storage: { readonly sharedStorage: boolean; readonly multiAttach: boolean };
  put(tx: Transaction, host: RegisteredHost): Promise<void>;
  remove(tx: Transaction, name: string): Promise<void>;
}

/** The engine's side of http/control/simulator/simulator.ts, which defines each call. */
export interface SimulatorControls {
  add(tx: Transaction, order: FaultOrder): Promise<StoredFault>;
  list(db: Database): Promise<StoredFault[]>;
  remove(tx: Transaction, id: number): Promise<boolean>;
  removeAll(tx: Transaction): Promise<void>;
  setAlive(tx: Transaction, host: string, alive: boolean): Promise<boolean>;
}

/** A small file in a guest, readable for all there. */
export interface GuestFile {
  /** Absolute, of letters, digits, `/`, `.`, `_` and `-`. Its folder is made if there is none. */
  readonly path: string;
  /** Null: it is removed, if it is there. */
  readonly text: string | null;
}

/** How far a copy is. */
export interface MoveProgress {
  /** The machine is on its new host, halted and ready for `start`. */
  readonly isComplete: boolean;
  /** Of the disk, on the new host: pass it to the next call. */
  readonly copiedBytes: number;
  /** 0: unknown. */
  readonly totalBytes: number;
}

/** Moves halted machines between hosts. */
export interface Mover {
  /** Whether what is on `from` stays until `removeCopy`; a cluster that moves by itself keeps one copy at any time. */
  readonly keepsSource: boolean;
  /**
   * Copies the machine with its disk from the host `from` to `spec.host`, or continues: each call takes some seconds at
   * most (well inside engineCallSeconds) and says how far it is. `copiedBytes`: of the last call that returned, 0 at
   * first; repeating a call with the same one changes nothing. Can be repeated after it is complete. What is on `from`
   * stays, halted, until `removeCopy`, if the mover `keepsSource`. EngineError: `refused` if it can never succeed (the message is for people), `unavailable` otherwise.
   */
  copy(spec: MachineSpec, from: string, copiedBytes: number, signal: AbortSignal): Promise<MoveProgress>;
  /**
   * Removes what is on `copy.host` of a machine whose other copy, on `kept`, stays: the source after the machine has
   * started once on its new host, or an incomplete target of a move that was given up. Does nothing if nothing is
   * there. Never touches what is on `kept`.
   */
  removeCopy(copy: MachineRef, kept: string, signal: AbortSignal): Promise<void>;
}

/** Reads what agents in guests report, which is untrusted in every byte (rules/guest-metrics.ts). */
export interface GuestMetricsChannel {
  /**
   * Of each machine the last whole line that its agent has sent and that no earlier call returned, without its end; a
   * machine without one is left out. Lines longer than `guestLines.mostBytes` are discarded. Whatever guests send, no
   * more than that is in memory of each, and none delays another. Throws only if no machine can be read.
   */
  readLines(machines: readonly MachineRef[], signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Only these machines are read from now on: connections to others end. */
  keepOnly(machineIds: ReadonlySet<string>): void;
}

export interface Engine {
  readonly name: string;
  /** The hosts, if each has an identity of its own and can be replaced alone; undefined: the engine has one identity. */
  readonly worlds?: readonly string[] | undefined;
  /**
   * How `inbound` is applied. `enforced`: all other traffic is blocked, from before the first start. `recorded`: only
   * stored, by the simulator. Undefined: the engine cannot filter and gets no machine with rules. As far as known: what
   * the engine learns of its hosts can change it.
   */
  readonly firewalls?: "enforced" | "recorded" | undefined;
  /** Where operators register hosts. Undefined: hosts are discovered. */
  readonly hostRegistry?: HostRegistry | undefined;
  /** Of all its hosts. Undefined: the settings name the helper of each (`gpus.helpers`). */
  readonly gpuHelper?: GpuHelper | undefined;
  /** Undefined: it cannot move machines. */
  readonly mover?: Mover | undefined;
  /** Undefined: guests have no way to report anything. */
  readonly guestMetrics?: GuestMetricsChannel | undefined;
  /** How operators let it fail; undefined: it is real. */
  readonly simulator?: SimulatorControls | undefined;
  /**
   * Identifies the cluster or host: a stable text that differs where the machines differ. `host`: one of `worlds`, if
   * defined.
   */
  identity(signal: AbortSignal, host?: string): Promise<string>;
  /** Every host with its hardware. `only`: some of `worlds`, if defined. */
  hosts(signal: AbortSignal, only?: readonly string[]): Promise<HostReport[]>;
  /** Creates the machine, halted, or finds the one that an earlier call created. Returns its current state. */
  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport>;
  /**
   * Begins to start it; `inspect` reports when it is ready. Does nothing if it runs. Returns its current state. Takes
   * the whole spec, because some guests can get their secrets only while they run (`untold`).
   */
  start(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport>;
  /**
   * Begins to halt it and keeps its data; `inspect` reports when it is halted. Does nothing if it is halted. Returns
   * its current state.
   */
  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport>;
  /** Removes it with its data; when this resolves nothing of it is left. Does nothing if it does not exist. */
  remove(machine: MachineRef, signal: AbortSignal): Promise<void>;
  /**
   * Replaces the allowed inbound traffic, whether the machine runs or not; on engines with `firewalls`. If it does not
   * exist: EngineError `unavailable` (`noSuchMachine`).
   */
  readonly setInbound?: ((machine: MachineRef, inbound: Inbound, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Writes the file into a running machine, whole, in the place of one that is there. A guest can hinder it, and change what
   * is written: nothing may depend on it. If the machine does not run, or the guest does not respond: EngineError
   * `unavailable`. Undefined: the engine has no way into guests.
   */
  readonly writeGuestFile?: ((machine: MachineRef, file: GuestFile, signal: AbortSignal) => Promise<void>) | undefined;
  /** Removes a detached file system with its data. Does nothing if it does not exist. */
  removeFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<void>;
  /** How many bytes the file system takes on its storage. Undefined: the storage cannot say, or it does not exist. */
  measureFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<number | undefined>;
  /**
   * The current machine, or undefined if the engine is sure that it does not exist: that ends a rental. If the host
   * does not respond: `unavailable` with the code `hostUnreachable`, never undefined.
   */
  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined>;
  /** Every machine with our ownership label. `only`: on some of `worlds`, if defined. */
  list(signal: AbortSignal, only?: readonly string[]): Promise<MachineListing>;
  /**
   * Calls `onChange` with the id of each machine that might have changed: a hint, not the truth. `onGap`: hints might
   * have been missed, so check everything; with one of `worlds`, that host, whose connection was lost or is there again.
   * Returns a function that stops it.
   */
  watch(onChange: (machineId: string) => void, onGap?: (host?: string) => void): () => void;
  /** The machine's console output since its last start, as far as it is kept; "" if none is. */
  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string>;
  /** An interactive session in a running machine. `signal` limits the opening, not the session. */
  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal>;
  /** Ends timers and connections; machines keep running. */
  close(): Promise<void>;
}

/** The code of the EngineError (`unavailable`) for a machine on an unreachable host. */
export const hostUnreachable = "host-unreachable";

/** The code of the EngineError (`unavailable`) if start or stop found no machine: only `inspect` is sure of that. */
export const noSuchMachine = "no-such-machine";

/** The code of the EngineError (`unavailable`) if a guest did not do what it was asked. */
export const guestSilent = "guest-silent";

/**
 * The code of the EngineError (`refused`) of `create` or `start` if there is no capacity for the machine now, though its host
 * was chosen for it. The launch fails with it, or waits (reconciler/room.ts): then the call is repeated later.
 */
export const noCapacityNow = "no-capacity";

/** The code of the EngineError (`refused`) if a machine has rules and its host cannot enforce them. */
export const noFirewall = "firewall-not-supported";

/**
 * How an engine rejects or fails. `refused`: permanent, do not retry (the message is shown to the customer).
 * `unavailable`: the result is unknown, retry later. Other errors count as unavailable.
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
