// The scene of this suite: the composed service on a fresh database, a catalogue set up through the control interface,
// and accounts that rent from it. Each test file has one of its own.
//
//   const scene = sceneOfFile();                              // running from beforeAll to afterAll
//   const ada = await scene.customer();
//   const id = await scene.launched(ada, { type: types.cpu });
//   await scene.reached(id, "active");

import { sql } from "kysely";
import { afterAll, beforeAll, expect } from "vitest";
import type { Database } from "../../src/database/connect.ts";
import type { Scope } from "../../src/rental/service.ts";
import { isTransient, type State, statesWhere } from "../../src/rules/lifecycle.ts";
import type { TeamRole } from "../../src/rules/roles.ts";
import { auditCapacity } from "../support/audit.ts";
import { Browser } from "../support/console.ts";
import { betweenLooks } from "../support/interleave.ts";
import { type RunningServer, type ServerOptions, startServer } from "../support/server.ts";
import { type Ask, at, Client, textAt } from "./client.ts";
import { type Order, reference } from "./variants.ts";

export const regions = { north: "north", south: "south" } as const;
export const hosts = { north: "north-1", south: "south-1" } as const;
export const types = { h100: "h100-1", h100x8: "h100-8", l4: "l4-1", cpu: "cpu-4" } as const;
export const images = { usual: "ubuntu", second: "debian", noGpu: "no-h100" } as const;
export const imageNumbers = { usual: 1, second: 2, noGpu: 3 } as const;
export const coupons = { ten: "TEN", expired: "EXPIRED", off: "OFF", cpuOnly: "CPUONLY" } as const;
/** In cents per hour. */
export const prices = { [types.h100]: 249, [types.h100x8]: 1992, [types.l4]: 80, [types.cpu]: 12 } as const;
export const lastDay = "2099-12-31T23:59:59.000Z";

export interface Customer {
  readonly accountId: string;
  readonly token: string;
  readonly tokenId: string;
}

export interface CustomerSpec {
  readonly scopes?: readonly Scope[];
  readonly quotas?: Readonly<Record<string, number>>;
  readonly spendLimitCents?: number;
  readonly terms?: "prepaid";
  /** Another token for this account. */
  readonly of?: Customer;
  readonly expiresAt?: string;
}

export function sceneOfFile(options: ServerOptions = {}): Scene {
  const scene = new Scene(options);
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}

/** The rules of the specification hold in the lambda edition too where its operator wants that. */
const asSpecified = { restartReboots: false, terminatedVisibleSeconds: 0 };

export class Scene {
  #reservedHours = 24;
  readonly #options: ServerOptions;
  #server: RunningServer | undefined;
  #client: Client | undefined;
  #count = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    this.#server = await startServer({ ...this.#options, config: { lambda: asSpecified, ...this.#options.config } });
    const { marketplace, direct, referenceUrl, lambda, control } = this.#server;
    this.#client = await Client.open({ marketplace, direct, reference: referenceUrl, lambda, control });
    await this.#furnish();
  }

  /** Whatever the tests of the file did, capacity adds up in the end. */
  async close(): Promise<void> {
    if (this.#client !== undefined) await auditCapacity(this.db);
    await this.#server?.close();
  }

  get server(): RunningServer {
    return opened(this.#server);
  }

  get client(): Client {
    return opened(this.#client);
  }

  get db(): Database {
    return this.server.db;
  }

  /** A token with every scope. */
  get operator(): string {
    return this.server.operatorToken;
  }

  /** A name that nothing here has yet. */
  fresh(word: string): string {
    this.#count += 1;
    return `${word}-${this.#count}`;
  }

  /** One call to the control interface that has to succeed, as operator unless told; gives the answer's `data`. */
  async control(method: string, path: string, body?: unknown, options: Ask = {}): Promise<unknown> {
    return at(await this.client.need("control", method, path, { token: this.operator, body, ...options }), "data");
  }

  /** A new account with a token that may read and write, unless told. */
  async customer(spec: CustomerSpec = {}): Promise<Customer> {
    const { scopes = ["read", "write"], expiresAt } = spec;
    const accountId = spec.of?.accountId ?? (await this.#account(spec));
    const order = { name: this.fresh("token"), scopes, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
    const made = await this.control("POST", `/accounts/${accountId}/tokens`, order);
    return { accountId, token: textAt(made, "token"), tokenId: textAt(made, "id") };
  }

  /** A new person with this role in the account, with a token of that account. */
  async person({ accountId }: Customer, role: TeamRole): Promise<Customer & { readonly personId: string }> {
    const order = { email: `${this.fresh("person")}@example.com`, role };
    const secret = textAt(await this.control("POST", `/accounts/${accountId}/invitations`, order), "secret");
    const body = { secret, name: this.fresh("Person") };
    const joined = at(await this.client.need("control", "POST", "/invitations/accept", { body }), "data");
    const [token, tokenId] = [textAt(joined, "token", "token"), textAt(joined, "token", "id")];
    return { accountId, token, tokenId, personId: textAt(joined, "member", "id") };
  }

  /** A session of the console, opened with the token; its id. */
  async session({ token }: Customer): Promise<string> {
    await new Browser(this.server.url).signIn(token);
    return textAt(await this.control("GET", "/sessions", undefined, { token }), 0, "id");
  }

  async #account({ quotas, spendLimitCents, terms }: CustomerSpec): Promise<string> {
    const limits = { quotas, spend_limit_cents: spendLimitCents, payment_terms: terms };
    const order = { name: this.fresh("account"), ...limits };
    return textAt(await this.control("POST", "/accounts", order), "id");
  }

  /** Launches one instance through R; its id. */
  async launched(customer: Customer, order: Partial<Order> = {}): Promise<string> {
    const body = reference.launch.body({ type: types.cpu, ...order });
    const answer = await this.client.need("reference", "POST", reference.launch.path, { token: customer.token, body });
    return textAt(answer, "data", "instance_ids", 0);
  }

  /** As `launched`, and it is active. */
  async active(customer: Customer, order: Partial<Order> = {}): Promise<string> {
    const id = await this.launched(customer, order);
    await this.reached(id, "active");
    return id;
  }

  /** A launch of the customer's that waits: no host has such a GPU. */
  async waiting({ token }: Customer): Promise<string> {
    const name = this.fresh("waits");
    const size = { gpus: 1, gpu_model: "nowhere", vcpus: 1, memory_gib: 1, storage_gb: 1, price_cents_per_hour: 1 };
    await this.control("PUT", `/instance-types/${name}`, size);
    const body = { instance_type: name, wait: { until: new Date(Date.now() + 3 * 86_400_000).toISOString() } };
    return textAt(await this.control("POST", "/instances", body, { token }), "launch", "id");
  }

  /** A reservation of the customer's that has not begun. */
  async reserved({ token }: Customer): Promise<string> {
    return textAt(await this.control("POST", "/reservations", this.reservation(), { token }), "id");
  }

  /** The order of a reservation, each later than the last, so that they never need the same capacity. */
  reservation(): { readonly instance_type: string; readonly from: string; readonly to: string } {
    this.#reservedHours += 2;
    const inHours = (more: number) => new Date(Date.now() + (this.#reservedHours + more) * 3_600_000).toISOString();
    return { instance_type: types.cpu, from: inHours(0), to: inHours(1) };
  }

  /** Comes back when the instance is in this state. */
  async reached(id: string, state: State): Promise<void> {
    for (const start = performance.now(); ; await betweenLooks()) {
      const now = await this.stateOf(id);
      if (now === state) return;
      if (performance.now() - start > 10_000) expect.fail(`instance ${id} is ${now}, and never became ${state}`);
    }
  }

  /** Comes back when no instance is on its way anywhere, but for those whose machine was told to have faults. */
  async settled(): Promise<void> {
    for (const start = performance.now(); ; await betweenLooks()) {
      await this.server.reconciler.idle();
      const { rows } = await sql`
        select id from instances
        where state = any(${statesWhere(isTransient)}) and fulfilled_generation < generation
          and not exists (select from simulated.faults where target = instances.id::text)`.execute(this.db);
      if (rows.length === 0) return;
      if (performance.now() - start > 10_000) expect.fail(`${rows.length} instances never settled`);
    }
  }

  async stateOf(id: string): Promise<string | undefined> {
    const row = await this.db.selectFrom("instances").select("state").where("id", "=", id).executeTakeFirst();
    return row?.state;
  }

  /** Terminates everything an account has, and waits until it is gone. */
  async clear(customer: Customer): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      select id from instances where account_id = ${customer.accountId} and terminating_at is null`.execute(this.db);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    const body = { instance_ids: ids };
    await this.client.need("reference", "POST", "/instance-operations/terminate", { token: customer.token, body });
    for (const id of ids) await this.reached(id, "terminated");
  }

  async #furnish(): Promise<void> {
    const gpu = (index: number, model: string) => ({
      address: `0000:${(index + 1).toString(16).padStart(2, "0")}:00.0`,
      model,
      memory_gib: 80,
      numa_node: index % 2,
    });
    for (const region of Object.values(regions)) {
      await this.control("PUT", `/regions/${region}`, { description: `The ${region}` });
    }
    for (const region of Object.values(regions)) {
      const gpus = [...Array(12).keys()].map((index) => gpu(index, index < 8 ? "H100" : "L4"));
      const host = { engine: "simulated", region, vcpus: 4000, memory_gib: 16_000, storage_gb: 900_000, gpus };
      await this.control("PUT", `/hosts/${hosts[region]}`, host);
    }
    const type = (name: keyof typeof prices, gpu_model: string | null, gpus: number, vcpus: number) =>
      this.control("PUT", `/instance-types/${name}`, {
        description: `The type ${name}`,
        gpu_model,
        gpu_description: gpu_model === null ? "N/A" : `${gpu_model} (80 GB)`,
        gpus,
        vcpus,
        memory_gib: vcpus * 4,
        storage_gb: vcpus * 25,
        price_cents_per_hour: prices[name],
      });
    await type(types.h100, "H100", 1, 26);
    await type(types.h100x8, "H100", 8, 208);
    await type(types.l4, "L4", 1, 8);
    await type(types.cpu, null, 0, 4);
    await this.control("PUT", `/images/${images.usual}`, { number: imageNumbers.usual, default: true });
    await this.control("PUT", `/images/${images.second}`, { number: imageNumbers.second, description: "Debian 13" });
    const noGpu = { number: imageNumbers.noGpu, unsupported_gpu_models: ["H100"] };
    await this.control("PUT", `/images/${images.noGpu}`, noGpu);
    const coupon = (code: string, more: object) =>
      this.control("PUT", `/coupons/${code}`, { discount_percent: 10, deactivation_date: lastDay, ...more });
    await coupon(coupons.ten, {});
    await coupon(coupons.expired, { deactivation_date: "2020-01-01T00:00:00.000Z" });
    await coupon(coupons.off, { active: false });
    await coupon(coupons.cpuOnly, { instance_types: [types.cpu] });
  }
}

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the scene is not open yet: it opens in beforeAll");
  return part;
}
