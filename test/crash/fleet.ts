// Several real servers (processes of the program itself) on one PostgreSQL, as an operator runs them: one key, one
// operator's token, one file of settings. They can be killed and started again; each start gives a server new ports.
//
//   const fleet = await startFleet({ databaseUrl: fresh.url, servers: 3, whenOver });
//   await furnish(fleet, { hosts: 25, gpusPerHost: 8 });
//   const ada = await fleet.customer("ada");
//   await call("GET", `${fleet.one(7).bases.direct}/instance`, { token: ada.token });
//   await fleet.replicas[1]?.kill();

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { idOf } from "../support/control.ts";
import { call } from "../support/http.ts";
import { type Lessor, startLessor } from "../support/lessor.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterTest, type WhenOver } from "../support/when-over.ts";

/** An operator's token, as LESSOR_OPERATOR_TOKEN; every scope. */
export const operatorToken = "operator-of-the-fleet-0123456789abcdef";
const encryptionKey = "5a".repeat(32);

/** As lessor.yaml, over what suits proofs: quick machines, and no limit that a proof would meet by accident. */
export type FleetSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const quickAndUnlimited: FleetSettings = {
  simulated: { boot_seconds: [0, 0.2], stop_seconds: [0, 0.1] },
  limits: {
    requests_per_minute_per_token: 100_000_000,
    requests_per_minute_per_address: 100_000_000,
    failed_authentications_per_minute_per_address: 100_000_000,
    requests_under_way: 100_000,
  },
};

export interface FleetOptions {
  readonly databaseUrl: string;
  readonly servers: number;
  readonly settings?: FleetSettings;
  readonly env?: NodeJS.ProcessEnv;
  readonly whenOver?: WhenOver;
}

export interface Customer {
  readonly accountId: string;
  readonly token: string;
  readonly tokenId: string;
}

/** Starts all of them at the same moment, and waits until each is ready. They end when the test does. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { databaseUrl, servers, whenOver = afterTest } = options;
  const directory = await temporaryDirectory(0o700, whenOver);
  const file = join(directory, "lessor.yaml");
  // JSON is YAML.
  await writeFile(file, JSON.stringify(merged(quickAndUnlimited, options.settings ?? {})));
  const env = {
    DATABASE_URL: databaseUrl,
    LESSOR_CONFIG: file,
    LESSOR_ENCRYPTION_KEY: encryptionKey,
    LESSOR_OPERATOR_TOKEN: operatorToken,
    LESSOR_DEMO: "0",
    LESSOR_LOG_LEVEL: "warn",
    ...options.env,
  };
  const startOne = () => startLessor(directory, env, whenOver);
  return new Fleet(await Promise.all(Array.from({ length: servers }, () => Replica.start(startOne))));
}

function merged(under: FleetSettings, over: FleetSettings): FleetSettings {
  const names = [...Object.keys(under), ...Object.keys(over)];
  return Object.fromEntries(names.map((name) => [name, { ...under[name], ...over[name] }]));
}

export type Bases = Readonly<Record<InterfaceName, string>>;

/** One of the servers: a place that a process may be in, or not. */
export class Replica {
  readonly #start: () => Promise<Lessor>;
  #lessor: Lessor;
  #bases: Bases;

  private constructor(start: () => Promise<Lessor>, lessor: Lessor) {
    this.#start = start;
    this.#lessor = lessor;
    this.#bases = basesOf(lessor);
  }

  static async start(start: () => Promise<Lessor>): Promise<Replica> {
    return new Replica(start, await start());
  }

  /** Where its interfaces are, or were when it was last up. */
  get bases(): Bases {
    return this.#bases;
  }

  /** False from when its process has ended, however it did. */
  get isUp(): boolean {
    const { exitCode, signalCode, killed } = this.#lessor.process;
    return exitCode === null && signalCode === null && !killed;
  }

  get output(): string {
    return this.#lessor.output();
  }

  /** kill -9, and waits until it is dead. */
  async kill(): Promise<void> {
    await this.#lessor.end("SIGKILL");
  }

  /** After `kill`: another process in its place. */
  async restart(): Promise<void> {
    this.#lessor = await this.#start();
    this.#bases = basesOf(this.#lessor);
  }

  /** What /readyz answers: 200 when it can serve. 0: it did not answer. */
  async readiness(): Promise<number> {
    const url = new URL("/readyz", this.#bases.control);
    return call("GET", url.href).then(
      ({ status }) => status,
      () => 0,
    );
  }
}

function basesOf(lessor: Lessor): Bases {
  const base = (title: string) => {
    const shown = lessor.shown(title);
    if (shown === undefined) throw new Error(`the banner does not show ${title}:\n${lessor.output()}`);
    return shown;
  };
  return {
    marketplace: base("Marketplace (variant M)"),
    direct: base("Direct (variant D)"),
    reference: base("Reference (variant R)"),
    lambda: base("Reference, lambda edition"),
    control: base("Control"),
  };
}

export class Fleet {
  readonly replicas: readonly Replica[];

  constructor(replicas: readonly Replica[]) {
    this.replicas = replicas;
  }

  /** One that is up, in turn by `index`. Throws when none is. */
  one(index: number): Replica {
    const up = this.replicas.filter((replica) => replica.isUp);
    const replica = up[index % up.length];
    if (replica === undefined) throw new Error("no server is up");
    return replica;
  }

  /** A call of the operator's that has to succeed; gives the answer's `data`. */
  async control(method: string, path: string, body?: object): Promise<unknown> {
    const result = await call(method, `${this.one(0).bases.control}${path}`, { token: operatorToken, body });
    expect(result.status, `${method} ${path}: ${result.text}`).toBe(200);
    return (result.body as { data: unknown }).data; // documented so; conformance checks that
  }

  /** A new account that may hold plenty, with a token that may read and write unless told. */
  async customer(name: string, scopes: readonly string[] = ["read", "write"], quotas: object = {}): Promise<Customer> {
    const plenty = { instances: 100_000, gpus: 100_000, vcpus: 1_000_000, ssh_keys: 1000, file_systems: 1000 };
    const accountId = idOf(await this.control("POST", "/accounts", { name, quotas: { ...plenty, ...quotas } }));
    const made = await this.control("POST", `/accounts/${accountId}/tokens`, { name: "first", scopes });
    return { accountId, tokenId: idOf(made), token: (made as { token: string }).token };
  }
}

/** The instance type that `furnish` puts there: one GPU and an eighth of everything else of a host of eight. */
export const gpuType = "gpu-1";

/** A catalogue with one type, and hosts in two regions with room for `hosts * gpusPerHost` of it. */
export async function furnish(fleet: Fleet, { hosts, gpusPerHost }: { hosts: number; gpusPerHost: number }) {
  await fleet.control("PUT", "/regions/north", { description: "The north" });
  await fleet.control("PUT", "/regions/south", { description: "The south" });
  await fleet.control("PUT", "/images/ubuntu", { number: 1, default: true });
  const size = { gpu_model: "H100", gpus: 1, vcpus: 8, memory_gib: 64, storage_gb: 100 };
  await fleet.control("PUT", `/instance-types/${gpuType}`, { ...size, price_cents_per_hour: 249 });
  for (let index = 0; index < hosts; index++) {
    await fleet.control("PUT", `/hosts/host-${index}`, {
      engine: "simulated",
      region: index % 2 === 0 ? "north" : "south",
      vcpus: gpusPerHost * size.vcpus,
      memory_gib: gpusPerHost * size.memory_gib,
      storage_gb: gpusPerHost * size.storage_gb,
      gpus: Array.from({ length: gpusPerHost }, (_, gpu) => ({
        address: `0000:${(gpu + 1).toString(16).padStart(2, "0")}:00.0`,
        model: "H100",
        memory_gib: 80,
        numa_node: gpu % 2,
      })),
    });
  }
}
