// The simulated engine: machines that exist only in tables and take time. It is the default, so that everything can be
// tried without hardware, and the engine of most tests, because it can fail in every way that a real one does.
//
// Invariant: no state is in this process. It is in the database (schema `simulated`) and changes with its clock; any
// number of engines in any number of replicas share it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../database/connect.ts";
import type { GpuHelper } from "../../gpus/helper.ts";
import type { HostFinding } from "../../rules/host-health.ts";
import type { FaultOperation } from "../../rules/simulator-faults.ts";
import {
  type Engine,
  EngineError,
  type FileSystemRef,
  type GuestFile,
  type GuestMetricsChannel,
  type HostReport,
  hostUnreachable,
  type Inbound,
  type MachineListing,
  type MachineRef,
  type MachineReport,
  type MachineSpec,
  type MoveProgress,
  type Mover,
  noSuchMachine,
  type Terminal,
  type TerminalOrder,
} from "../engine.ts";
import { consoleText } from "./console.ts";
import { copyCalls, copyPart, promoteCopy, removeCopyOn } from "./copy-store.ts";
import { killAllHosts, killHost, loseMachine, simulatedHostRegistry, simulatorControls } from "./database.ts";
import { Durations } from "./duration.ts";
import { countDown, type HostFault } from "./fault-store.ts";
import { effectOf, type Fault, secondsBy } from "./faults.ts";
import { bytesUsedOf, deleteFileSystem } from "./file-system-store.ts";
import { SimulatedGpuHelper } from "./gpu-helper.ts";
import { guestLine, readGuests } from "./guest.ts";
import { Hints } from "./hints.ts";
import { readHosts } from "./host-store.ts";
import { MachineCalls } from "./machine-calls.ts";
import {
  type Answer,
  type Call,
  type Manner,
  readAll,
  readGuest,
  readMachines,
  readUnsettled,
  type SeenGuest,
  type SeenMachine,
  setInbound,
  writeFile,
} from "./machine-store.ts";
import { type SimulatorDatabase, worldIn } from "./schema.ts";
import type { SimulatedDurations } from "./settings.ts";
import { SimulatedTerminal } from "./terminal.ts";
import { beginValidation, validates } from "./validations.ts";

/** The machine details in a false report. */
const nowhere = { hostname: "nowhere", image: "nothing", vcpus: 0, memoryGib: 0, storageGb: 0, gpus: [] };
const ordinary: Manner = { forced: false, seconds: 0 };

export class SimulatedEngine implements Engine {
  readonly name = "simulated";
  readonly firewalls = "recorded";
  readonly hostRegistry = simulatedHostRegistry;
  readonly simulator = simulatorControls;
  readonly mover: Mover = {
    keepsSource: true,
    copy: (spec, from, copiedBytes, signal) => this.#copy(spec, from, copiedBytes, signal),
    removeCopy: (copy, kept, signal) => this.#removeCopy(copy, kept, signal),
  };
  readonly guestMetrics: GuestMetricsChannel = {
    readLines: (machines, signal) => this.#readLines(machines, signal),
    keepOnly: () => {},
  };
  readonly gpuHelper: GpuHelper;
  readonly #db: Database;
  readonly #world: SimulatorDatabase;
  readonly #calls: MachineCalls;
  readonly #settings: SimulatedDurations;
  readonly #durations: Durations;
  readonly #hints = new Hints();
  #closed = false;

  constructor(db: Database, settings: SimulatedDurations) {
    this.#db = db;
    this.#world = worldIn(db);
    this.#calls = new MachineCalls(this.#world);
    this.gpuHelper = new SimulatedGpuHelper(this.#world);
    this.#settings = settings;
    this.#durations = new Durations(settings.seed);
  }

  /** One per database. */
  async identity(): Promise<string> {
    return "simulated";
  }

  async hosts(signal: AbortSignal): Promise<HostReport[]> {
    signal.throwIfAborted();
    const { faults, hostFaults, hosts } = await readHosts(this.#world);
    const met = await this.#meet(faults);
    await before(met, signal);
    await this.#after(met, signal);
    const findings = await this.#meet(hostFaults);
    return hosts.map((host) => (host.available ? { ...host, health: healthOf(host, findings) } : host));
  }

  async create(spec: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    const insert = (manner: Manner) => insertUntilThere(this.#calls, { machine: spec, manner });
    const answer = await this.#call("create", spec, signal, ordinary, insert);
    if (answer === "lie") return { ...imagined(spec), power: "halted" };
    if (answer.alive === null) throw new EngineError("refused", "no-such-host", "The host does not exist.");
    if (answer.machine === null) throw new Error(`BUG: machine ${spec.id} was neither made nor found`);
    return report(answer.machine, answer.untold);
  }

  async start(machine: MachineSpec, signal: AbortSignal): Promise<MachineReport> {
    const seconds = validates(machine) ? 0 : this.#durations.between(this.#settings.bootSeconds, machine.id, "boot");
    const turn = (manner: Manner) => this.#calls.start({ machine, manner });
    const answer = await this.#call("start", machine, signal, { forced: false, seconds }, turn);
    if (answer !== "lie") await beginValidation(this.#world, machine);
    return answer === "lie"
      ? { ...imagined(machine), power: "running", usable: true }
      : report(existing(machine, answer), answer.untold);
  }

  async stop(machine: MachineRef, signal: AbortSignal): Promise<MachineReport> {
    const seconds = this.#durations.between(this.#settings.stopSeconds, machine.id, "stop");
    const turn = (manner: Manner) => this.#calls.stop({ machine, manner });
    const answer = await this.#call("stop", machine, signal, { forced: false, seconds }, turn);
    return answer === "lie"
      ? { ...imagined(machine), power: "halted" }
      : report(existing(machine, answer), answer.untold);
  }

  async remove(machine: MachineRef, signal: AbortSignal): Promise<void> {
    await this.#call("remove", machine, signal, ordinary, (manner) => this.#calls.delete({ machine, manner }));
    this.#hints.settlesIn(machine.id, null, () => {});
  }

  /** Each call copies the same part of the disk, in the same time. */
  async #copy(spec: MachineSpec, from: string, copiedBytes: number, signal: AbortSignal): Promise<MoveProgress> {
    const seconds = this.#durations.between(this.#settings.copySeconds ?? [0, 0], spec.id, "copy") / copyCalls;
    let progress: MoveProgress | undefined;
    const run = async (manner: Manner) => {
      const [answer] = await readMachines(this.#world, [{ machine: spec, manner }], "move");
      if (answer?.alive === null) throw new EngineError("refused", "no-such-host", "The host does not exist.");
      if (answer?.alive === true && (answer.faults === null || manner.forced)) {
        if (seconds > 0) await sleep(seconds * 1000, undefined, { signal });
        progress = await copyPart(this.#db, spec, from, copiedBytes).catch((error: unknown) => {
          throw gpuProblem(error, spec) ?? error;
        });
      }
      return { ...(answer ?? missing(spec)), machine: null };
    };
    if ((await this.#call("move", spec, signal, ordinary, run)) === "lie" || progress === undefined)
      return { isComplete: true, copiedBytes, totalBytes: copiedBytes };
    return progress;
  }

  async #removeCopy(copy: MachineRef, kept: string, signal: AbortSignal): Promise<void> {
    if (copy.host === kept) throw new Error(`BUG: the copy of machine ${copy.id} to remove is the one to keep`);
    const run = async (manner: Manner) => {
      const [answer] = await readMachines(this.#world, [{ machine: copy, manner }], "remove-copy");
      if (answer?.alive === true && (answer.faults === null || manner.forced)) {
        if (answer.machine?.host !== kept) await promoteCopy(this.#db, { id: copy.id, host: kept });
        await removeCopyOn(this.#db, copy);
      }
      return { ...(answer ?? missing(copy)), machine: null };
    };
    await this.#call("remove-copy", copy, signal, ordinary, run);
  }

  async setInbound(machine: MachineRef, inbound: Inbound, signal: AbortSignal): Promise<void> {
    const write = (manner: Manner) => setInbound(this.#world, { machine, manner }, inbound);
    const answer = await this.#call("set-inbound", machine, signal, ordinary, write);
    if (answer !== "lie") existing(machine, answer);
  }

  async writeGuestFile(machine: MachineRef, file: GuestFile, signal: AbortSignal): Promise<void> {
    const write = (manner: Manner) => writeFile(this.#world, { machine, manner }, file);
    const answer = await this.#call("write-guest-file", machine, signal, ordinary, write);
    if (answer !== "lie" && !existing(machine, answer).usable) throw notRunning(machine);
  }

  async measureFileSystem({ id }: FileSystemRef, signal: AbortSignal): Promise<number | undefined> {
    signal.throwIfAborted();
    return bytesUsedOf(this.#world, id);
  }

  async removeFileSystem(fileSystem: FileSystemRef, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const faults = await deleteFileSystem(this.#world, fileSystem, false);
    const met = await this.#meet(faults);
    if ((await before(met, signal)) === "lie") return;
    if (faults !== null) await deleteFileSystem(this.#world, fileSystem, true);
    await this.#after(met, signal);
  }

  async inspect(machine: MachineRef, signal: AbortSignal): Promise<MachineReport | undefined> {
    const read = (manner: Manner) => this.#calls.read({ machine, manner });
    const answer = await this.#call("inspect", machine, signal, ordinary, read);
    if (answer === "lie") return { ...imagined(machine), power: "running", usable: true };
    return answer.machine === null ? undefined : report(answer.machine, answer.untold);
  }

  async list(signal: AbortSignal): Promise<MachineListing> {
    signal.throwIfAborted();
    const { faults, machines, deadHosts } = await readAll(this.#world);
    const met = await this.#meet(faults);
    const lie = (await before(met, signal)) === "lie";
    await this.#after(met, signal);
    return {
      machines: lie ? machines.map((one) => ({ ...one, power: "running", usable: true })) : machines,
      unreachableHosts: deadHosts,
    };
  }

  /** Hints when a machine is ready or halted, also for operations that began before this process started. */
  watch(onChange: (machineId: string) => void): () => void {
    // If the database is unavailable these hints are late: each observation of a machine sets its timer too.
    readUnsettled(this.#world).then(
      (machines) => {
        for (const machine of machines) this.#hintWhenSettled(machine);
      },
      () => {},
    );
    return this.#hints.watch(onChange);
  }

  /** Hints that the machine changed now (database.ts), as a real engine's events would. */
  async changed(machine: MachineRef): Promise<void> {
    const { machine: seen } = await this.#calls.read({ machine, manner: { forced: true, seconds: 0 } });
    await this.#report(machine.id, seen?.reports ?? null);
  }

  async consoleLog(machine: MachineRef, signal: AbortSignal): Promise<string> {
    const guest = await this.#look("console-log", machine, signal);
    return guest === "lie" ? "" : consoleText(guest);
  }

  /** A simulated terminal (terminal.ts). If the machine is not running: EngineError `unavailable`. */
  async openTerminal(machine: MachineRef, _order: TerminalOrder, signal: AbortSignal): Promise<Terminal> {
    const guest = await this.#look("open-terminal", machine, signal);
    if (guest === "lie") return new SimulatedTerminal(nowhere);
    if (guest.power === "on" && guest.settled) return new SimulatedTerminal(guest);
    throw notRunning(machine);
  }

  /** What agents in running machines would have sent last (guest.ts). */
  async #readLines(machines: readonly MachineRef[], signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>> {
    signal.throwIfAborted();
    const guests = await readGuests(this.#world, machines);
    const lines = new Map<string, Uint8Array>();
    for (const guest of guests) {
      const met = await this.#meet(guest.faults);
      const manners = met.flatMap((fault) => effectOf(fault).reported?.(fault.parameters) ?? []);
      const line = guestLine(guest, manners, this.#settings.seed ?? 0);
      if (line !== undefined) lines.set(guest.id, line);
    }
    return lines;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#hints.close();
  }

  /** One operation on one machine: its effect and faults, and a timer for when it settles. */
  async #call(
    operation: FaultOperation,
    machine: MachineRef,
    signal: AbortSignal,
    manner: Manner,
    run: (manner: Manner) => Promise<Answer>,
  ): Promise<Answer | "lie"> {
    signal.throwIfAborted();
    let answer = await run(manner);
    if (answer.alive === false) throw unreachable();
    // The machine may be on two hosts, and this call for the other copy of it.
    if (forMachine.includes(operation) && isElsewhere(answer, machine) && (await promoteCopy(this.#db, machine)))
      answer = await run(manner);
    const met = await this.#meet(answer.faults);
    if ((await before(met, signal)) === "lie") return "lie";
    if (answer.faults !== null) {
      answer = await run({ forced: true, seconds: secondsBy(met) ?? manner.seconds });
      if (answer.alive === false) throw unreachable();
    }
    if (operation !== "remove" && answer.machine !== null) this.#hintWhenSettled(answer.machine);
    const untold = (await this.#after(met, signal, machine)) === "untold";
    return { ...answer, untold };
  }

  /** Reads the machine, for an operation that changes nothing. Throws EngineError if it does not exist. */
  async #look(operation: FaultOperation, machine: MachineRef, signal: AbortSignal): Promise<SeenGuest | "lie"> {
    const read = async (manner: Manner) => {
      const [answer] = await readMachines(this.#world, [{ machine, manner }], operation);
      return answer ?? missing(machine);
    };
    if ((await this.#call(operation, machine, signal, ordinary, read)) === "lie") return "lie";
    return (await readGuest(this.#world, machine)) ?? missing(machine);
  }

  /** The faults that apply to a call, counted. Usually none, without a query. */
  async #meet<F extends Fault>(faults: readonly F[] | null): Promise<readonly F[]> {
    return faults === null ? [] : countDown(this.#world, faults);
  }

  /** `machine`: the target of the call. Throws what the faults do, or that its host is dead. */
  async #after(faults: readonly Fault[], signal: AbortSignal, machine?: MachineRef): Promise<"untold" | undefined> {
    let untold: "untold" | undefined;
    for (const fault of faults) {
      const then = await effectOf(fault).after?.(fault.parameters, signal);
      if (then === "untold") untold = then;
      if (then === "lose" && machine !== undefined) await loseMachine(this.#db, machine.id);
      if (then === "die all") await killAllHosts(this.#db);
      if (then === "die" && machine !== undefined) await killHost(this.#db, machine.host);
      if ((then === "die" || then === "die all") && machine !== undefined) throw unreachable();
    }
    return untold;
  }

  #hintWhenSettled(machine: SeenMachine): void {
    if (this.#closed) return;
    this.#hints.settlesIn(machine.id, machine.settles_in_ms, () => void this.#report(machine.id, machine.reports));
  }

  /** Reports with the faults that apply; without them if they cannot be counted. */
  async #report(machineId: string, reports: readonly Fault[] | null): Promise<void> {
    const [met] = await this.#meet(reports).catch(() => []);
    this.#hints.tell(machineId, met && effectOf(met).reports?.(met.parameters));
  }
}

const healthy: readonly HostFinding[] = [];

/** What the faults report of the host. One object for all that are well: there can be 100,000 of them. */
function healthOf({ name }: HostReport, faults: readonly HostFault[]): readonly HostFinding[] {
  if (faults.length === 0) return healthy;
  return faults
    .filter(({ host }) => host === null || host === name)
    .flatMap((fault) => effectOf(fault).finds?.(fault.parameters) ?? []);
}

async function before(faults: readonly Fault[], signal: AbortSignal): Promise<"lie" | undefined> {
  for (const fault of faults) {
    const lie = await effectOf(fault).instead?.(fault.parameters, signal);
    if (lie !== undefined) return lie;
  }
  return undefined;
}

/**
 * Nothing is created or found if another call creates the same machine at that moment. The next try finds it, unless it
 * was removed in between.
 */
async function insertUntilThere(calls: MachineCalls, call: Call<MachineSpec>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await calls.insert(call).catch((error: unknown) => {
      throw gpuProblem(error, call.machine) ?? error;
    });
    const prevented = answer.alive !== true || (answer.faults !== null && !call.manner.forced);
    if (prevented || answer.machine !== null) return answer;
    const { id } = call.machine;
    if (attempt === 10)
      throw new EngineError("unavailable", "in-creation", `Machine ${id} is being created and removed by other calls.`);
  }
}

/** The engine error for a violated constraint of gpu_uses. */
function gpuProblem(error: unknown, spec: MachineSpec): EngineError | undefined {
  const constraint = error instanceof Error && "constraint" in error ? error.constraint : undefined;
  const gpus = `${spec.gpuAddresses.join(", ")} of host ${spec.host}`;
  if (constraint === "gpu_uses_pkey")
    return new EngineError("refused", "gpu-busy", `Another machine uses a GPU of ${gpus}.`);
  if (constraint === "gpu_uses_host_address_fkey")
    return new EngineError("refused", "no-such-gpu", `GPU ${gpus} does not exist.`);
  return undefined;
}

/** The calls that find a machine where it is, whichever of two copies that is. */
const forMachine: readonly FaultOperation[] = [
  "inspect",
  "start",
  "stop",
  "set-inbound",
  "write-guest-file",
  "console-log",
  "open-terminal",
];

function isElsewhere({ machine: seen, alive }: Answer, { host }: MachineRef): boolean {
  return alive === true && seen?.host !== host;
}

function existing(machine: MachineRef, { machine: seen }: Answer): SeenMachine {
  return seen ?? missing(machine);
}

function missing(machine: MachineRef): never {
  throw new EngineError("unavailable", noSuchMachine, `Machine ${machine.id} does not exist.`);
}

function notRunning({ id }: MachineRef): EngineError {
  return new EngineError("unavailable", "not-running", `Machine ${id} is not running.`);
}

function unreachable(): EngineError {
  return new EngineError("unavailable", hostUnreachable, "The host does not respond.");
}

function report({ id, host, power, usable, ip: address }: SeenMachine, untold = false): MachineReport {
  if (untold && power !== "halted") {
    return {
      id,
      host,
      power: "running",
      usable: false,
      untold: true,
      ip: undefined,
      progress: "waiting for its settings",
    };
  }
  // As with a real guest, the address shows while it runs, and stays the same.
  const ip = power === "running" ? address : undefined;
  return { id, host, power, usable, ip, progress: power === "starting" ? "booting" : undefined };
}

/** The content of a false report; the address is from the range for documentation (RFC 5737). */
function imagined({ id, host }: MachineRef): Omit<MachineReport, "power"> {
  return { id, host, usable: false, ip: "192.0.2.1", progress: undefined };
}
