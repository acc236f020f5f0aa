// The service under test: the real program in its own process, as `npm start` runs it, with the embedded PostgreSQL and
// fsync on, on a temporary data directory. Invariant: nothing is measured if the database does not write durably
// (`refuseUnsafe`).

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { DATABASE_NAME } from "../../src/database/embedded/cluster.ts";
import { socketUrl } from "../../src/database/embedded/socket.ts";
import type { HostGroup } from "../worlds/catalog.ts";
import { freePorts } from "./ports.ts";
import {
  cpuSeconds,
  cpuSecondsWithEnded,
  peakMb,
  proportionalMb,
  residentMb,
  serverProcesses,
} from "./process-figures.ts";
import { Program } from "./program.ts";
import { benchSettings, type Ports } from "./settings.ts";

export const checkout = resolve(import.meta.dirname, "../..");

export const program = join(checkout, "src/main.ts");

const engineDirectory = join(checkout, "bench/engine");

/** The Node options of `npm start`; test/codebase/start-options.test.ts compares the two. */
export const startOptions = ["--max-semi-space-size=8"];

/** Of temporary data; the same for all replicas of a service. */
export const encryptionKey = Buffer.alloc(32, 7).toString("base64");

/** Known to the benchmark, so that no output has to be parsed. */
export const operatorToken = "lessor_bench-operator-0123456789abcdefghijklmnopq";

/** Leases and full resyncs that were due while it was paused. */
const CATCH_UP_MS = 1500;

export interface ServiceOrder {
  /** Its own; created if missing. */
  readonly directory: string;
  /** Options of Node, such as --cpu-prof. */
  readonly nodeOptions?: readonly string[];
  /** Of the simulated engine, from and to. */
  readonly bootSeconds?: readonly [number, number] | undefined;
  /** Of the external engine (engine/), which then takes the simulated one's place. */
  readonly externalHosts?: readonly HostGroup[] | undefined;
  /** Whose program it is; default: this one. */
  readonly checkout?: string | undefined;
  /** Settings besides those of every measure. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A statement of a transaction. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>;

export class Service implements AsyncDisposable {
  readonly ports: Ports;
  readonly directory: string;
  readonly #nodeOptions: readonly string[];
  readonly #externalHosts: readonly HostGroup[] | undefined;
  /** The program that runs the service, and its arguments. */
  readonly #serve: readonly string[];
  #engine: Program | undefined;
  #serveOptions: readonly string[] = [];
  #program: Program | undefined;
  #isPaused = false;
  #database: pg.Pool | undefined;

  private constructor(order: ServiceOrder, ports: Ports) {
    this.directory = order.directory;
    this.#nodeOptions = order.nodeOptions ?? [];
    this.#externalHosts = order.externalHosts;
    this.#serve =
      order.externalHosts === undefined
        ? [join(order.checkout ?? checkout, "src/main.ts"), "serve"]
        : [join(engineDirectory, "program.ts"), this.#engineSocket];
    this.ports = ports;
  }

  /** A new one on new data, or on the data in the directory. */
  static async start(order: ServiceOrder): Promise<Service> {
    const [main = 0, reference = 0] = await freePorts(2);
    const service = new Service(order, { main, reference });
    // PostgreSQL's user passes through.
    await mkdir(service.dataDirectory, { recursive: true, mode: 0o711 });
    await writeFile(
      service.settingsFile,
      benchSettings(service.ports, service.dataDirectory, order.bootSeconds, order.settings),
    );
    service.#engine = await service.#startEngine();
    await service.up();
    await service.#refuseUnsafe();
    return service;
  }

  /** Whether it has the hosts of `externalHosts`, and no others. */
  get hasExternalEngine(): boolean {
    return this.#engine !== undefined;
  }

  get dataDirectory(): string {
    return join(this.directory, "data");
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.main}`;
  }

  get settingsFile(): string {
    return join(this.directory, "lessor.yaml");
  }

  /** Of every program on its data. */
  get environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      LESSOR_CONFIG: this.settingsFile,
      LESSOR_OPERATOR_TOKEN: operatorToken,
      LESSOR_ENCRYPTION_KEY: encryptionKey,
    };
  }

  /** Of a database of its PostgreSQL; by default the service's own. */
  databaseUrl(name = DATABASE_NAME): string {
    return socketUrl(join(this.dataDirectory, "postgres/socket"), name);
  }

  get pid(): number {
    return this.#running.pid;
  }

  /** Where PostgreSQL listens. */
  get socketDirectory(): string {
    return join(this.dataDirectory, "postgres/socket");
  }

  /** Starts the program; resolves when it is ready. */
  async up(): Promise<void> {
    const running = new Program({
      name: "lessor",
      command: process.execPath,
      args: [...startOptions, ...this.#nodeOptions, ...this.#serve, ...this.#serveOptions],
      cwd: this.directory,
      env: this.environment,
      logFile: join(this.directory, "lessor.log"),
      quiet: true,
    });
    this.#program = running;
    await running.until(async () => (await fetch(`${this.url}/readyz`)).ok);
    const database = new pg.Pool({ connectionString: this.databaseUrl(), max: 2, application_name: "bench" });
    database.on("error", () => {}); // it ends with the service
    this.#database = database;
  }

  async down(): Promise<void> {
    await this.#database?.end();
    this.#database = undefined;
    if (this.#isPaused) await this.#goOn();
    await this.#program?.end();
    this.#program = undefined;
  }

  /** `serveOptions`: of `lessor serve`, from now on; unchanged by default. */
  async restart(serveOptions = this.#serveOptions): Promise<void> {
    await this.down();
    this.#serveOptions = serveOptions;
    await this.up();
  }

  /** Pauses its processes: a service that is not measured must use no resources. */
  async pause(): Promise<void> {
    if (this.#isPaused) return;
    this.#isPaused = true;
    for (const pid of await serverProcesses(this.pid)) process.kill(pid, "SIGSTOP");
  }

  /** Resumes it, and waits briefly while it catches up. */
  async resume(): Promise<void> {
    if (!this.#isPaused) return;
    await this.#goOn();
    await this.#running.until(async () => (await fetch(`${this.url}/readyz`)).ok);
    await sleep(CATCH_UP_MS);
  }

  /** CPU time of its processes so far, without PostgreSQL's. */
  async cpuSeconds(): Promise<number> {
    return sum(await Promise.all((await serverProcesses(this.pid)).map(cpuSeconds)));
  }

  /** As cpuSeconds, with the processes that have ended. */
  async cpuSecondsWithEnded(): Promise<number> {
    return sum(
      await Promise.all((await serverProcesses(this.pid)).map((pid) => cpuSecondsWithEnded(pid).catch(() => 0))),
    );
  }

  /** CPU time of PostgreSQL so far: of its processes, and of those that have ended. */
  async databaseSeconds(): Promise<number> {
    const file = join(this.dataDirectory, "postgres/data/postmaster.pid");
    const postmaster = Number.parseInt(await readFile(file, "utf8"), 10);
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
    const pids = children.split(" ").filter(Boolean).map(Number);
    return (
      (await cpuSecondsWithEnded(postmaster)) +
      sum(await Promise.all(pids.map((pid) => cpuSeconds(pid).catch(() => 0))))
    );
  }

  /** As residentMb, but what its processes share counts once. */
  async proportionalMb(): Promise<number> {
    return sum(await Promise.all((await serverProcesses(this.pid)).map((pid) => proportionalMb(pid).catch(() => 0))));
  }

  /** Resident memory of its processes, without PostgreSQL's. */
  async residentMb(): Promise<number> {
    return sum(await Promise.all((await serverProcesses(this.pid)).map(residentMb)));
  }

  /** The most memory that its processes had since the start, without PostgreSQL's. */
  async peakMb(): Promise<number> {
    return sum(await Promise.all((await serverProcesses(this.pid)).map(peakMb)));
  }

  async query<T extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    if (this.#database === undefined) throw new Error("BUG: the service is down");
    return (await this.#database.query<T>(text, [...values])).rows;
  }

  /** Several statements, all or none. */
  async transaction(body: (query: Query) => Promise<void>): Promise<void> {
    if (this.#database === undefined) throw new Error("BUG: the service is down");
    const client = await this.#database.connect();
    try {
      await client.query("begin");
      await body((text, values = []) => client.query(text, [...values]));
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      throw error;
    } finally {
      client.release();
    }
  }

  /** A call to the control interface, as the operator. Returns the response's `data`. Throws an error response. */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.call(method, `/control/v1${path}`, operatorToken, body);
  }

  /** A call on the main port. Returns the response's `data`. Throws an error response. */
  async call(method: string, path: string, token: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const parsed: { data?: unknown } = JSON.parse(text);
    return parsed.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await this.#engine?.end();
  }

  get #engineSocket(): string {
    return join(this.directory, "engine.socket");
  }

  /** A process of its own, which stays while the service is restarted. Undefined: the simulated engine is used. */
  async #startEngine(): Promise<Program | undefined> {
    if (this.#externalHosts === undefined) return undefined;
    const engine = new Program({
      name: "the external engine",
      command: process.execPath,
      args: [join(engineDirectory, "process.ts"), this.#engineSocket, JSON.stringify(this.#externalHosts)],
      logFile: join(this.directory, "engine.log"),
    });
    await engine.until(async () => existsSync(this.#engineSocket));
    return engine;
  }

  async #goOn(): Promise<void> {
    for (const pid of await serverProcesses(this.pid)) process.kill(pid, "SIGCONT");
    this.#isPaused = false;
  }

  get #running(): Program {
    if (this.#program === undefined) throw new Error("BUG: the service is down");
    return this.#program;
  }

  async #refuseUnsafe(): Promise<void> {
    for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
      const [row] = await this.query<Record<string, string>>(`show ${setting}`);
      if (row?.[setting] !== "on") throw new Error(`PostgreSQL has ${setting} off: what it answers then is no figure.`);
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
