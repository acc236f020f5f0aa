// The engine for a cluster of Incus or LXD, or a standalone server. It uses the REST API (client/), and each operation
// of the contract is a file of its own; this one combines them.
//
// Invariant: the cluster holds all state. This process keeps only what it can lose at any time: which machines it
// created completely (create.ts), cached observations of guests (readiness/cached-observation.ts), and watchers.

import {
  type Engine,
  EngineError,
  type FileSystemRef,
  type GuestFile,
  type HostReport,
  type MachineListing,
  type MachineRef,
  type MachineReport,
  type MachineSpec,
  type Mover,
  noSuchMachine,
  type Terminal,
  type TerminalOrder,
} from "../engine.ts";
import { Seen } from "../readiness/cached-observation.ts";
import { createProbe, type SshProbe } from "../readiness/probe.ts";
import { ReadinessWatchers } from "../readiness/watchers.ts";
import type { FullInstance } from "./api.ts";
import { EventStream } from "./client/event-stream.ts";
import { type Cluster, openCluster, readServer } from "./cluster.ts";
import { readConsoleLog } from "./console-log.ts";
import { createInstance } from "./create.ts";
import { canFilter, filterMachine, keepsRules } from "./firewall.ts";
import { bootOnceMore, isSetUp, markSetUp, wasSetUp } from "./first-boot.ts";
import { GuestFiles } from "./guest-files.ts";
import { type KnownHosts, readHosts } from "./hosts.ts";
import { readInstance, readInstances, refuseAbsentMember } from "./instances.ts";
import { isTold, machineIdIn } from "./labels.ts";
import { endMove, moveInstance } from "./move.ts";
import { removeInstance } from "./remove.ts";
import { addressOf, isRunning, reportOf } from "./report.ts";
import type { IncusSettings } from "./settings/settings.ts";
import { startInstance } from "./start.ts";
import { Stops } from "./stop.ts";
import { openSession } from "./terminal.ts";
import { translated } from "./translate.ts";
import { measureVolume, removeVolume } from "./volumes.ts";
import { writeGuestFile } from "./write-file.ts";

/** How often a booting guest is checked: by an API request until it has an address, then by an SSH probe. */
const PACE = { everyMs: 40, mostMs: 2000, forMs: 3_600_000 } as const;

interface Watcher {
  readonly onChange: (machineId: string) => void;
  readonly onGap: (() => void) | undefined;
}

export class IncusEngine implements Engine {
  readonly name: string;
  readonly setInbound: Engine["setInbound"];
  readonly guestMetrics: GuestFiles;
  readonly #cluster: Cluster;
  readonly #probe: SshProbe;
  readonly #port: number;
  readonly #seen = new Seen();
  readonly #whole = new Set<string>();
  readonly #knownHosts: KnownHosts = new Map();
  readonly #watchers = new Set<Watcher>();
  readonly #lookouts: ReadinessWatchers;
  readonly #stops: Stops;
  readonly #mover: Mover;
  #events: EventStream | undefined;

  /** `installation`: the ownership label. Throws what reading the certificate files throws. Does not connect yet. */
  constructor(settings: IncusSettings, installation: string) {
    this.name = settings.name;
    const cluster = openCluster(settings, installation);
    this.#cluster = cluster;
    this.guestMetrics = new GuestFiles(cluster);
    if (keepsRules(settings)) {
      this.setInbound = (machine, inbound, signal) =>
        translated(() => filterMachine(cluster, machine, inbound, signal));
    }
    this.#probe = createProbe(settings.sshProbe);
    this.#port = settings.sshProbe.port;
    this.#lookouts = new ReadinessWatchers({ onSettled: (id) => this.#tell(id) });
    this.#stops = new Stops(this.#cluster, (id) => this.#tell(id));
    this.#mover = {
      keepsSource: false,
      copy: (spec, _from, _copiedBytes, signal) => translated(() => moveInstance(cluster, spec, signal)),
      removeCopy: ({ id }, _kept, signal) => translated(() => endMove(cluster, id, signal)),
    };
  }

  /** Not on a server without a cluster, as far as known. */
  get mover(): Mover | undefined {
    return this.#cluster.layout.clustered === false ? undefined : this.#mover;
  }

  get firewalls(): Engine["firewalls"] {
    return canFilter(this.#cluster) ? "enforced" : undefined;
  }

  /** The cluster's certificate and the project: instances of other projects are not visible. */
  identity(signal: AbortSignal): Promise<string> {
    return translated(async () => {
      const { environment } = await readServer(this.#cluster, signal);
      return `${environment.certificate_fingerprint ?? "no certificate"}/${this.#cluster.settings.project}`;
    });
  }

  hosts(signal: AbortSignal): Promise<HostReport[]> {
    return translated(() => readHosts(this.#cluster, this.#knownHosts, signal));
  }

  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    return translated(async () => {
      signal.throwIfAborted();
      const outcome = await createInstance(this.#cluster, spec, signal);
      if (outcome === "made") {
        this.#whole.add(spec.id);
        return { id: spec.id, host: spec.host, power: "halted", usable: false, ip: undefined, progress: undefined };
      }
      return this.#look(spec, signal);
    });
  }

  start(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    return translated(async () => {
      try {
        await startInstance(this.#cluster, spec, this.#whole.has(spec.id), signal);
      } catch (error) {
        // The failed start might mean that the machine is incomplete after all.
        this.#whole.delete(spec.id);
        throw error;
      }
      this.#seen.noteStart(spec.id);
      return this.#look(spec, signal);
    });
  }

  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    return translated(async () => {
      const instance = await readInstance(this.#cluster, machine.id, signal);
      if (instance === undefined) throw nothingThere(machine);
      this.#lookouts.end(machine.id);
      this.#seen.noteStop(machine.id);
      if (instance.status !== "Stopped") {
        // A guest without secrets has no customer data, and might not react to the request.
        await this.#stops.begin(machine.id, isTold(instance) ? "asking" : "forced", signal);
      }
      const report = reportOf(this.#cluster, this.#seen, machine.id, instance);
      return report.power === "halted" ? report : { ...report, usable: false, progress: "halting" };
    });
  }

  remove(machine: MachineRef, signal: AbortSignal): Promise<void> {
    return translated(async () => {
      this.#lookouts.end(machine.id);
      await removeInstance(this.#cluster, machine.id, signal);
      this.#seen.remove(machine.id);
      this.#whole.delete(machine.id);
    });
  }

  writeGuestFile(machine: MachineRef, file: GuestFile, signal: AbortSignal): Promise<void> {
    return translated(async () => {
      const instance = await readInstance(this.#cluster, machine.id, signal);
      if (instance === undefined || !isRunning(instance)) throw nothingThere(machine);
      await writeGuestFile(this.#cluster, machine.id, file, signal);
    });
  }

  measureFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<number | undefined> {
    return translated(() => measureVolume(this.#cluster, fileSystem, signal));
  }

  removeFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<void> {
    return translated(() => removeVolume(this.#cluster, fileSystem, signal));
  }

  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined> {
    return translated(async () => {
      const instance = await readInstance(this.#cluster, machine.id, signal);
      if (instance === undefined) return undefined;
      const hasHaltedItself = instance.status === "Stopped" && isTold(instance) && !this.#seen.wasStopped(machine.id);
      if (hasHaltedItself) await refuseAbsentMember(this.#cluster, instance, signal);
      return this.#report(machine.id, instance, signal);
    });
  }

  list(signal: AbortSignal): Promise<MachineListing> {
    return translated(async () => {
      const { instances, ...hosts } = await readInstances(this.#cluster, signal);
      const machines = [...instances].map(([id, instance]) => reportOf(this.#cluster, this.#seen, id, instance));
      return { machines, ...hosts };
    });
  }

  watch(onChange: (machineId: string) => void, onGap?: () => void): () => void {
    const watcher = { onChange, onGap };
    this.#watchers.add(watcher);
    this.#events ??= new EventStream(this.#cluster.client, {
      onEvent: (action, source) => this.#heard(action, source),
      onGap: () => {
        for (const one of this.#watchers) one.onGap?.();
      },
    });
    return () => void this.#watchers.delete(watcher);
  }

  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string> {
    return translated(() => readConsoleLog(this.#cluster, machine.id, signal));
  }

  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal> {
    return translated(async () => {
      const instance = await readInstance(this.#cluster, machine.id, signal);
      if (instance === undefined || !isRunning(instance)) throw nothingThere(machine);
      return openSession(this.#cluster, machine.id, order, signal);
    });
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#lookouts.close();
    this.#events?.close();
    await Promise.all([this.#stops.close(), this.guestMetrics.close()]);
    await this.#cluster.client.close();
  }

  async #look(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    const report = await this.inspect(machine, signal);
    if (report === undefined) throw nothingThere(machine);
    return report;
  }

  /** The report on an instance just read. Probes a guest that was not seen ready, and watches one that is not. */
  async #report(id: string, instance: FullInstance, signal: AbortSignal): Promise<MachineReport> {
    if (isRunning(instance) && isTold(instance) && !this.#seen.of(id, instance.last_used_at).usable) {
      await this.#knock(id, instance, signal);
    }
    const report = reportOf(this.#cluster, this.#seen, id, instance);
    if (report.power === "running" && !report.usable) this.#await(id);
    return report;
  }

  /** Whether the guest responds now; undefined: it has no address. */
  async #knock(id: string, instance: FullInstance, signal: AbortSignal): Promise<boolean | undefined> {
    const ip = addressOf(instance);
    if (ip === undefined) return undefined;
    const { answers } = await this.#probe({ ip, host: instance.location ?? "", port: this.#port }, signal);
    const usable = answers && (wasSetUp(instance) || (await this.#isSetUp(id, signal)));
    this.#seen.note(id, instance.last_used_at, ip, usable);
    return usable;
  }

  /** Whether the guest's first boot is known to have completed; if it did not, it is rebooted. */
  async #isSetUp(id: string, signal: AbortSignal): Promise<boolean> {
    const done = await isSetUp(this.#cluster, id, signal);
    if (done === false) await bootOnceMore(this.#cluster, id, signal);
    if (done !== true) return false;
    // In the background; if it fails, the next check repeats it.
    markSetUp(this.#cluster, id, AbortSignal.timeout(60_000)).catch(() => {});
    return true;
  }

  /** Watches a booting machine until there is something to report, so that no customer waits for a poll. */
  #await(id: string): void {
    if (this.#lookouts.has(id)) return;
    const look = async (signal: AbortSignal) => {
      const instance = await readInstance(this.#cluster, id, signal);
      if (instance === undefined || instance.status === "Stopped") return true;
      if (!isTold(instance)) return (instance.state?.processes ?? -1) >= 0;
      if (addressOf(instance) === undefined) return false;
      // The address stays; from here on only the guest is probed, with a new pace.
      this.#lookouts.until(id, async (knocking) => (await this.#knock(id, instance, knocking)) === true, PACE);
      return false;
    };
    this.#lookouts.until(id, look, PACE);
  }

  #heard(action: string, source: string): void {
    const id = machineIdIn(source);
    if (id === undefined || !/^instance-(started|restarted|stopped|shutdown|deleted|resumed|paused)$/.test(action))
      return;
    this.#seen.forget(id);
    if (action === "instance-started" || action === "instance-restarted") this.#seen.noteStart(id);
    // A watched machine boots again, perhaps with another address.
    if (this.#lookouts.has(id)) {
      this.#lookouts.end(id);
      this.#await(id);
    }
    this.#tell(id);
  }

  #tell(id: string): void {
    for (const { onChange } of this.#watchers) onChange(id);
  }
}

function nothingThere(machine: MachineRef): EngineError {
  return new EngineError("unavailable", noSuchMachine, `Machine ${machine.id} does not exist or is not running.`);
}
