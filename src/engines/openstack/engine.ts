// The engine for a cloud of OpenStack (Nova, Neutron, Glance, Placement, Cinder; Zed and newer). It uses the REST APIs
// (client/), and each operation of the contract is a file of its own; this one combines them.
//
// Invariant: the cloud holds all state. This process keeps only what it can lose at any time: ids and regions that it looked
// up (cloud.ts), cached observations of guests (readiness/cached-observation.ts), and watchers.

import {
  type Engine,
  EngineError,
  type FileSystemRef,
  type HostReport,
  hostUnreachable,
  type Inbound,
  type MachineListing,
  type MachineRef,
  type MachineReport,
  type MachineSpec,
  type Terminal,
} from "../engine.ts";
import { Seen } from "../readiness/cached-observation.ts";
import { createProbe, type SshProbe } from "../readiness/probe.ts";
import { ReadinessWatchers } from "../readiness/watchers.ts";
import { ConsoleOutputAnswer, type Server } from "./api.ts";
import { Changes } from "./changes.ts";
import { ApiError } from "./client/api-error.ts";
import { checked } from "./client/checked.ts";
import { type Cloud, hostsIn, openCloud, type Region, readRegions } from "./cloud.ts";
import { createMachine } from "./create.ts";
import { Forgotten } from "./forgotten.ts";
import { readHosts } from "./hosts.ts";
import { listRegion } from "./list.ts";
import { isTold, type Machine, nothingThere, readMachine } from "./machines.ts";
import { removeMachine } from "./remove.ts";
import { addressOf, bootOf, powerOf, reportOf } from "./report.ts";
import { forgetSecrets, hasSecrets } from "./secrets.ts";
import { filterMachine, keepsRules } from "./security-groups.ts";
import type { OpenStackSettings } from "./settings/settings.ts";
import { busy, isBeingDeleted, removeToMakeAgain, startMachine } from "./start.ts";
import { Strays } from "./strays.ts";
import { openConsole } from "./terminal.ts";
import { tidy } from "./tidy.ts";
import { translated } from "./translate.ts";
import { removeVolume } from "./volumes.ts";

/** How often a booting guest is probed. */
const PACE = { everyMs: 40, mostMs: 2000, forMs: 3_600_000 } as const;

interface Watcher {
  readonly onChange: (machineId: string) => void;
  readonly onGap: (() => void) | undefined;
}

export class OpenStackEngine implements Engine {
  readonly name: string;
  readonly setInbound: Engine["setInbound"];
  readonly firewalls: Engine["firewalls"];
  readonly #cloud: Cloud;
  readonly #probe: SshProbe;
  readonly #port: number;
  readonly #seen = new Seen();
  /** Machines that Nova works on, by the last report: their changes are asked for more often. */
  readonly #booting = new Set<string>();
  /** One call at a time changes a machine: Nova would carry out both. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #watchers = new Set<Watcher>();
  readonly #lookouts: ReadinessWatchers;
  readonly #forgotten: Forgotten;
  readonly #strays: Strays;
  #changes: Changes | undefined;

  /** `installation`: the ownership label. `now`: milliseconds that only grow, for tests. Throws what reading the certificate files throws. Does not connect yet. */
  constructor(settings: OpenStackSettings, installation: string, now: () => number = () => performance.now()) {
    this.#forgotten = new Forgotten(now);
    this.#strays = new Strays(now);
    this.name = settings.name;
    this.#cloud = openCloud(settings, installation);
    if (keepsRules(settings)) {
      this.firewalls = "enforced";
      this.setInbound = (machine, inbound, signal) => this.#filter(machine, inbound, signal);
    }
    this.#probe = createProbe(settings.sshProbe);
    this.#port = settings.sshProbe.port;
    this.#lookouts = new ReadinessWatchers({ onSettled: (id) => this.#tell(id) });
  }

  /** The project: servers of other projects are not visible. Its id is unique among clouds. */
  identity(signal: AbortSignal): Promise<string> {
    return translated(async () => `project ${(await this.#cloud.client.project(signal)).id}`);
  }

  hosts(signal: AbortSignal): Promise<HostReport[]> {
    return translated(() => readHosts(this.#cloud, signal));
  }

  create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    return this.#change(spec, signal, async () => {
      const found = await readMachine(this.#cloud, spec, signal);
      // Also to complete what an interrupted call has begun.
      if (found?.server === undefined) await createMachine(this.#cloud, spec, signal);
      return this.#look(spec, signal);
    });
  }

  start(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    return this.#change(spec, signal, async () => {
      await startMachine(this.#cloud, spec, signal);
      this.#seen.noteStart(spec.id);
      this.#booting.add(spec.id);
      this.#changes?.hurry();
      return this.#look(spec, signal);
    });
  }

  stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    return this.#change(machine, signal, async () => {
      const found = await readMachine(this.#cloud, machine, signal);
      if (found === undefined) throw nothingThere(machine);
      this.#lookouts.end(machine.id);
      this.#seen.noteStop(machine.id);
      const report = this.#reportOf(machine, found);
      if (found.server === undefined || report.power === "halted") return report;
      this.#booting.add(machine.id);
      this.#changes?.hurry();
      const { region, server } = found;
      if (report.power === "running") await this.#act(region, server, { "os-stop": null }, signal);
      // It holds no customer data yet, and Nova stops none that it is still making.
      else if (!isTold(server)) await removeToMakeAgain(this.#cloud, region, machine.id, server, signal);
      else this.#lookouts.until(machine.id, (late) => this.#stopSoon(machine, late), PACE);
      return { ...report, usable: false, progress: "halting" };
    });
  }

  remove(machine: MachineRef, signal: AbortSignal): Promise<void> {
    return this.#change(machine, signal, async () => {
      this.#lookouts.end(machine.id);
      await removeMachine(this.#cloud, machine, signal);
      this.#seen.remove(machine.id);
      this.#booting.delete(machine.id);
    });
  }

  removeFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<void> {
    return translated(() => removeVolume(this.#cloud, fileSystem, signal));
  }

  /** Cinder does not say how much of a volume is in use. */
  async measureFileSystem(): Promise<undefined> {
    return undefined;
  }

  inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined> {
    return translated(async () => {
      const found = await readMachine(this.#cloud, machine, signal);
      if (found === undefined || found.server === undefined) {
        this.#booting.delete(machine.id);
        return found && this.#reportOf(machine, found);
      }
      const { region, server } = found;
      if (isBeingDeleted(server)) {
        if (isTold(server)) throw busy();
        // What is left is a halted machine, or nothing (removeToMakeAgain).
        return { ...this.#reportOf(machine, found), power: "starting", untold: false, progress: "halting" };
      }
      // Its last state says nothing about the guest.
      if (/^(DOWN|UNKNOWN)$/.test(server.host_status ?? "")) {
        throw new EngineError("unavailable", hostUnreachable, "The host does not respond.");
      }
      return this.#report(machine, region, server, signal);
    });
  }

  list(signal: AbortSignal): Promise<MachineListing> {
    return translated(async () => {
      const read = async (region: Region, within: AbortSignal) => {
        const listing = await listRegion(this.#cloud, region, this.#seen, within);
        await tidy(this.#cloud, region, listing, this.#strays, within);
        return listing;
      };
      const { answers, silent } = await readRegions(this.#cloud, read, signal);
      return {
        machines: answers.flatMap(({ machines }) => machines),
        unreachableHosts: [
          ...answers.flatMap(({ unreachableHosts }) => unreachableHosts),
          ...silent.flatMap(({ region }) => hostsIn(this.#cloud, region)),
        ],
      };
    });
  }

  watch(onChange: (machineId: string) => void, onGap?: () => void): () => void {
    const watcher = { onChange, onGap };
    this.#watchers.add(watcher);
    this.#changes ??= new Changes(this.#cloud, {
      onChange: (id, status) => this.#heard(id, status),
      onGap: () => {
        for (const one of this.#watchers) one.onGap?.();
      },
      isBooting: () => this.#booting.size > 0,
    });
    return () => void this.#watchers.delete(watcher);
  }

  consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string> {
    return translated(async () => {
      const found = await readMachine(this.#cloud, machine, signal);
      if (found === undefined) throw nothingThere(machine);
      if (found.server === undefined) return "";
      const { region, server } = found;
      const path = `/servers/${server.id}/action`;
      const body = { "os-getConsoleOutput": {} };
      const answer = await this.#cloud.client
        .call(region.place.compute, path, { method: "POST", body }, signal)
        .catch((error: unknown) => {
          // A machine that is halted or has no host yet has none.
          if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return undefined;
          throw error;
        });
      return answer === undefined ? "" : checked(answer.body, ConsoleOutputAnswer, path).output;
    });
  }

  openTerminal(machine: MachineRef, _order: unknown, signal: AbortSignal): Promise<Terminal> {
    return translated(async () => {
      const found = await readMachine(this.#cloud, machine, signal);
      if (found?.server === undefined || powerOf(found.server) !== "running") throw nothingThere(machine);
      return openConsole(this.#cloud, found.region, found.server, signal);
    });
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#lookouts.close();
    this.#changes?.close();
    await this.#cloud.client.close();
  }

  /** After the machine's earlier change of this process. */
  async #change<T>({ id }: Pick<MachineRef, "id">, signal: AbortSignal, change: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id);
    const turn = (async () => {
      await before?.catch(() => {});
      signal.throwIfAborted();
      return translated(change);
    })();
    this.#turns.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    }
  }

  #filter(machine: MachineRef, inbound: Inbound, signal: AbortSignal): Promise<void> {
    return this.#change(machine, signal, () => filterMachine(this.#cloud, machine, inbound, signal));
  }

  async #act({ place }: Region, server: Server, body: object, signal: AbortSignal): Promise<void> {
    const path = `/servers/${server.id}/action`;
    await this.#cloud.client.call(place.compute, path, { method: "POST", body }, signal).catch((error: unknown) => {
      // Its status has changed since: the next check sees it.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    });
  }

  async #look(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    const report = await this.inspect(machine, signal);
    if (report === undefined) throw nothingThere(machine);
    return report;
  }

  #reportOf({ id, host }: MachineRef, { region, server }: Machine): MachineReport {
    if (server !== undefined) return reportOf(this.#cloud, region, this.#seen, id, server);
    return { id, host, power: "halted", usable: false, ip: undefined, progress: undefined };
  }

  /** The report on a server just read. Probes a guest that was not seen ready, and watches one that is not. */
  async #report(machine: MachineRef, region: Region, server: Server, signal: AbortSignal): Promise<MachineReport> {
    const { id } = machine;
    const isUp = powerOf(server) === "running" && isTold(server);
    if (!isUp) this.#seen.forget(id);
    else if (!this.#reportOf(machine, { region, server, extras: [] }).usable) {
      await this.#knock(id, region, server, signal);
    }
    const report = reportOf(this.#cloud, region, this.#seen, id, server);
    if (this.#forgotten.has(server)) {
      await removeToMakeAgain(this.#cloud, region, id, server, signal);
      this.#forgotten.remove(server);
    }
    // Nova is asked about it; of a guest that boots, the guest.
    if (report.power === "starting" || report.untold === true) this.#booting.add(id);
    else this.#booting.delete(id);
    if (isUp && !report.usable) this.#await(id, region, server);
    if (report.usable && hasSecrets(server)) {
      // In the background; if it fails, the next list repeats it (tidy.ts).
      forgetSecrets(this.#cloud, region, server, AbortSignal.timeout(60_000)).catch(() => {});
    }
    return report;
  }

  /** Whether the guest responds now. */
  async #knock(id: string, region: Region, server: Server, signal: AbortSignal): Promise<boolean> {
    const ip = addressOf(region, server);
    if (ip === undefined) return false;
    const host = server["OS-EXT-SRV-ATTR:host"] ?? "";
    const { answers } = await this.#probe({ ip, host, port: this.#port }, signal);
    this.#seen.note(id, bootOf(server), ip, answers);
    return answers;
  }

  /** Probes a booting guest until it responds, so that no customer waits for a poll. */
  #await(id: string, region: Region, server: Server): void {
    if (this.#lookouts.has(id)) return;
    this.#lookouts.until(id, (signal) => this.#knock(id, region, server, signal), PACE);
  }

  /** Whether it is halted now, if it was on its way up when it was told to stop. */
  async #stopSoon(machine: MachineRef, signal: AbortSignal): Promise<boolean> {
    const found = await readMachine(this.#cloud, machine, signal);
    if (found?.server === undefined) return true;
    const power = powerOf(found.server);
    if (power === "running") await this.#act(found.region, found.server, { "os-stop": null }, signal);
    return power === "halted";
  }

  #heard(id: string, status: string): void {
    // Only of a machine that runs is anything seen.
    if (status !== "ACTIVE") {
      this.#seen.forget(id);
      this.#lookouts.end(id);
    }
    this.#tell(id);
  }

  #tell(id: string): void {
    for (const { onChange } of this.#watchers) onChange(id);
  }
}
