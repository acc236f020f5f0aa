// The engine for plain Linux hosts with libvirt. Each operation of the contract is a file of its own; this one finds
// the host and combines them.
//
// Invariant: the hosts hold all state. This process keeps only what it can lose at any time: cached observations of
// hosts and guests, and watchers. An unreachable host does not delay the others.

import {
  type Engine,
  EngineError,
  type FileSystemRef,
  type GuestFile,
  type HostReport,
  hostUnreachable,
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
import { AtOnce } from "./at-once.ts";
import { ConsoleLogs } from "./console-log.ts";
import { createMachine } from "./create.ts";
import { type Domain, readDomain, readDomains } from "./domains.ts";
import { Ended } from "./ended.ts";
import { EventStream, pausesOf } from "./event-stream.ts";
import { GuestChannels } from "./guest-metrics/guest-channels.ts";
import { readHostIdentity } from "./host/identity.ts";
import type { HostConnection } from "./host-connection.ts";
import { HostHealth } from "./host-health.ts";
import { Hosts } from "./hosts.ts";
import { FilterUpdates } from "./isolation/filters.ts";
import { fileSystemVolume } from "./labels.ts";
import type { CopyPace } from "./move/copy.ts";
import { createMover } from "./move/mover.ts";
import { removeFileSystemOn, removeMachine } from "./remove.ts";
import { reportOf } from "./report.ts";
import { openLinkedVirsh } from "./rpc/linked-virsh.ts";
import type { LibvirtSettings } from "./settings/settings.ts";
import { startMachine } from "./start.ts";
import { Stops } from "./stop.ts";
import { openSession } from "./terminal.ts";
import { type TimeoutPolicy, timeoutPolicy, waitingFor } from "./timeouts.ts";
import { translated } from "./translate.ts";
import { Verifications } from "./verifications.ts";
import type { Virsh } from "./virsh/virsh.ts";
import { allocatedOf, poolPath } from "./volumes.ts";
import { writeGuestFile } from "./write-file.ts";

/** How often the SSH port of a booting guest is probed. */
const PACE = { everyMs: 40, mostMs: 1000, forMs: 3_600_000 } as const;

/** A running guest responds within this time, also on a busy host; packets to others can be lost for seconds. */
const MOMENT_MS = 3000;

/** Hosts that background work runs on at once, such as their verification. Each is a process of virsh. */
const MOST_AT_ONCE = 32;

/**
 * Hosts that a full resync reads at once. Many, because one that does not respond takes its place for half a minute; not
 * all, because then each would seem slow.
 */
const MOST_READ_AT_ONCE = 100;

interface Watcher {
  readonly onChange: (machineId: string) => void;
  readonly onGap: ((host?: string) => void) | undefined;
}

export interface LibvirtOptions {
  /** The connection to a host; replaced in tests. */
  readonly connect?: (uri: string) => Virsh;
  /** The timeout policy of short queries; replaced in tests. */
  readonly waiting?: TimeoutPolicy;
  /** How much of a disk a call copies; replaced in tests. */
  readonly copyPace?: CopyPace;
}

export class LibvirtEngine implements Engine {
  readonly name: string;
  readonly worlds: readonly string[];
  readonly mover: Mover;
  readonly guestMetrics: GuestChannels;
  readonly #places: ReadonlyMap<string, HostConnection>;
  readonly #probe: SshProbe;
  readonly #port: number;
  readonly #seen = new Seen();
  readonly #ended = new Ended();
  readonly #logs = new ConsoleLogs();
  readonly #watchers = new Set<Watcher>();
  readonly #atOnce = new AtOnce(MOST_AT_ONCE);
  readonly #reads = new AtOnce(MOST_READ_AT_ONCE, "newest first");
  readonly #filters = new FilterUpdates(this.#atOnce);
  readonly #proofs: Verifications;
  readonly #patience: TimeoutPolicy;
  readonly #health = new HostHealth();
  readonly #hosts: Hosts;
  readonly #lookouts: ReadinessWatchers;
  readonly #stops: Stops;
  #events: readonly EventStream[] = [];

  /** `installation`: the ownership label. Does not connect yet. */
  constructor(
    settings: LibvirtSettings,
    installation: string,
    { connect = openLinkedVirsh, waiting = timeoutPolicy(), copyPace }: LibvirtOptions = {},
  ) {
    this.name = settings.name;
    this.worlds = settings.hosts.map(({ name }) => name);
    this.#places = new Map(
      settings.hosts.map((host) => [host.name, { host, settings, installation, virsh: connect(host.uri) }]),
    );
    this.#probe = createProbe(settings.sshProbe);
    this.#port = settings.sshProbe.port;
    this.#proofs = new Verifications({ onVerdict: (host) => this.#tellOfGap(host), atOnce: this.#atOnce });
    this.#patience = waiting;
    this.#hosts = new Hosts(this.#proofs, this.#health, waiting, this.#reads);
    this.#lookouts = new ReadinessWatchers({ onSettled: (id) => this.#tell(id) });
    this.#stops = new Stops((id) => this.#tell(id));
    this.guestMetrics = new GuestChannels(this.#places);
    this.mover = createMover({
      has: (host) => this.#places.has(host),
      on: (host, signal, call) => this.#on(host, signal, call),
      inventoryOf: (place, signal) => this.#hosts.inventoryOf(place, signal),
      pace: copyPace,
    });
  }

  /** Each host has its own. */
  identity(signal: AbortSignal, host?: string): Promise<string> {
    return this.#reads.run(() =>
      this.#on(host ?? "", signal, (place, within) => readHostIdentity(place.virsh, place.settings, within)),
    );
  }

  hosts(signal: AbortSignal, only?: readonly string[]): Promise<HostReport[]> {
    return this.#hosts.read(this.#some(only), signal);
  }

  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    if (!this.#places.has(spec.host)) {
      return Promise.reject(new EngineError("refused", "no-such-host", "The machine's host no longer exists."));
    }
    return this.#on(spec.host, signal, async (place) => {
      const inventory = await this.#hosts.inventoryOf(place, signal);
      const outcome = await createMachine(place, inventory, spec, signal);
      return outcome === "found" ? this.#look(place, spec, signal) : halted(spec);
    });
  }

  start(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    return this.#on(spec.host, signal, async (place) => {
      const outcome = await startMachine(place, await this.#hosts.inventoryOf(place, signal), spec, signal);
      if (outcome === "started") this.#logs.begin(place, spec.id, spec.consoleSeconds);
      this.#ended.note(spec.id, false);
      // A guest that was just started cannot respond yet.
      return this.#look(place, spec, signal, outcome === "started" ? 0 : MOMENT_MS);
    });
  }

  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    return this.#on(machine.host, signal, async (place, within) => {
      const domain = await readDomain(place, machine.id, within);
      if (domain === undefined) throw nothingThere(machine);
      this.#lookouts.end(machine.id);
      if (domain.power === "running" || domain.power === "paused") await this.#stops.begin(place, domain, signal);
      const report = reportOf(machine.host, this.#seen, domain);
      return report.power === "halted" ? report : { ...report, usable: false, progress: "halting" };
    });
  }

  remove(machine: MachineRef, signal: AbortSignal): Promise<void> {
    return this.#on(machine.host, signal, async (place, within) => {
      // The calls below can hang for long; this query detects an unreachable host first.
      await readDomain(place, machine.id, within);
      this.#lookouts.end(machine.id);
      this.#logs.forget(machine.id);
      await removeMachine(place, machine.id, signal);
      this.#seen.remove(machine.id);
    });
  }

  async measureFileSystem({ id, host }: FileSystemRef, signal: AbortSignal): Promise<number | undefined> {
    if (host === undefined) return undefined;
    return this.#on(host, signal, (place, within) => allocatedOf(place, fileSystemVolume(id), within));
  }

  async removeFileSystem({ id, host }: FileSystemRef, signal: AbortSignal): Promise<void> {
    // A file system that was never attached was never created.
    if (host === undefined) return;
    await this.#on(host, signal, async (place, within) => {
      await poolPath(place, within);
      await removeFileSystemOn(place, id, signal);
    });
  }

  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined> {
    return this.#on(machine.host, signal, async (place, within) => {
      if (this.#ended.has(machine.id)) return halted(machine);
      const domain = await readDomain(place, machine.id, within);
      return domain === undefined ? undefined : this.#report(place, domain, signal);
    });
  }

  async list(signal: AbortSignal, only?: readonly string[]): Promise<MachineListing> {
    const listings = await Promise.all(
      this.#some(only).map(async (place) => {
        const { name } = place.host;
        try {
          const domains = await this.#reads.run(() =>
            waitingFor(this.#patience(place, signal), (within) => readDomains(place, within)),
          );
          this.#filters.begin(place, domains);
          return { machines: domains.map((domain) => reportOf(name, this.#seen, domain)), unreachableHosts: [] };
        } catch {
          signal.throwIfAborted();
          return { machines: [], unreachableHosts: [name] };
        }
      }),
    );
    return {
      machines: listings.flatMap(({ machines }) => machines),
      unreachableHosts: listings.flatMap(({ unreachableHosts }) => unreachableHosts),
    };
  }

  watch(onChange: (machineId: string) => void, onGap?: (host?: string) => void): () => void {
    const watcher = { onChange, onGap };
    this.#watchers.add(watcher);
    if (this.#events.length === 0) this.#events = [...this.#places.values()].map((place) => this.#listen(place));
    return () => void this.#watchers.delete(watcher);
  }

  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string> {
    return this.#on(machine.host, signal, async (place) => {
      if ((await readDomain(place, machine.id, signal)) === undefined) throw nothingThere(machine);
      return this.#logs.of(machine.id);
    });
  }

  openTerminal(machine: MachineRef, order: TerminalOrder, signal: AbortSignal): Promise<Terminal> {
    return this.#on(machine.host, signal, async (place) => {
      const domain = await readDomain(place, machine.id, signal);
      if (domain?.power !== "running") throw nothingThere(machine);
      return openSession(place, machine.id, order, signal);
    });
  }

  writeGuestFile(machine: MachineRef, file: GuestFile, signal: AbortSignal): Promise<void> {
    return this.#on(machine.host, signal, (place) => writeGuestFile(place, machine.id, file, signal));
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#lookouts.close();
    this.#logs.close();
    for (const stream of this.#events) stream.close();
    const all = [this.#stops, this.#proofs, this.#filters, this.#health, this.guestMetrics];
    await Promise.all(all.map((one) => one.close()));
  }

  /**
   * Runs the call on that host, and translates errors. `within`: a signal for short queries, after which the host
   * counts as unreachable.
   */
  #on<T>(
    host: string,
    signal: AbortSignal,
    call: (place: HostConnection, within: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return translated(async () => {
      signal.throwIfAborted();
      const place = this.#places.get(host);
      if (place === undefined) {
        throw new EngineError("unavailable", hostUnreachable, "The host is no longer configured.");
      }
      const waiting = this.#patience(place, signal);
      try {
        return await waitingFor(waiting, (within) => call(place, within));
      } catch (error) {
        if (error !== waiting.signal.reason || signal.aborted) throw error;
        throw new EngineError("unavailable", hostUnreachable, "The host does not respond.", { cause: error });
      }
    });
  }

  async #look(
    place: HostConnection,
    machine: MachineRef,
    signal: AbortSignal,
    momentMs = MOMENT_MS,
  ): Promise<MachineReport> {
    const domain = await readDomain(place, machine.id, signal);
    if (domain === undefined) throw nothingThere(machine);
    return this.#report(place, domain, signal, momentMs);
  }

  /**
   * The report on a domain just read. Watches, in the background, a guest that was not seen ready; if none watches it
   * yet, it might be ready already and gets a moment to respond.
   */
  async #report(
    place: HostConnection,
    domain: Domain,
    signal: AbortSignal,
    momentMs = MOMENT_MS,
  ): Promise<MachineReport> {
    const { machineId, power, run } = domain;
    const isAwaited = () =>
      power !== "running" || this.#seen.of(machineId, run ?? "").usable || this.#lookouts.has(machineId);
    if (!isAwaited() && momentMs > 0) {
      const moment = AbortSignal.any([signal, AbortSignal.timeout(momentMs)]);
      await this.#knock(place, domain, moment).catch(() => signal.throwIfAborted());
    }
    if (!isAwaited()) this.#lookouts.until(machineId, (knocking) => this.#knock(place, domain, knocking), PACE);
    return reportOf(place.host.name, this.#seen, domain);
  }

  /** Whether the guest responds now. */
  async #knock({ host }: HostConnection, { machineId, address, run }: Domain, signal: AbortSignal): Promise<boolean> {
    const { answers } = await this.#probe({ ip: address, host: host.name, port: this.#port }, signal);
    this.#seen.note(machineId, run ?? "", address, answers);
    return answers;
  }

  #some(only: readonly string[] = this.worlds): HostConnection[] {
    return only.flatMap((host) => this.#places.get(host) ?? []);
  }

  #listen(place: HostConnection): EventStream {
    const { name, uri } = place.host;
    const listener = {
      onEvent: (machineId: string, guestEnded: boolean) => {
        this.#ended.note(machineId, guestEnded);
        // A new boot needs a new observation.
        this.#seen.forget(machineId);
        this.#lookouts.end(machineId);
        this.guestMetrics.noteChange(machineId);
        this.#tell(machineId);
      },
      onGap: () => {
        this.#ended.forgetAll();
        this.#proofs.forget(name);
        this.#filters.forget(name);
        this.#tellOfGap(name);
      },
      onLost: () => this.#tellOfGap(name),
      onRestart: (closedAt: Date) => this.#health.noteRestart(name, closedAt),
    };
    return new EventStream(place.virsh, listener, pausesOf(uri));
  }

  #tell(machineId: string): void {
    for (const { onChange } of this.#watchers) onChange(machineId);
  }

  #tellOfGap(host: string): void {
    for (const { onGap } of this.#watchers) onGap?.(host);
  }
}

function nothingThere(machine: MachineRef): EngineError {
  return new EngineError("unavailable", noSuchMachine, `Machine ${machine.id} does not exist or is not running.`);
}

function halted({ id, host }: MachineRef): MachineReport {
  return { id, host, power: "halted", usable: false, ip: undefined, progress: undefined };
}
