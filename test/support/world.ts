// A world for tests: a fresh database with whatever a test says there is in it, made through the rental's own functions,
// and a Service that the rental's functions can be called with. Everything has a default, so that a test names only
// what it is about:
//
//   const world = worldOfFile();                           // emptied before each test: a new database takes longer
//
//   const principal = await world.account();
//   await world.host({ gpus: 8 });                         // in region "north", which is made with it
//   const product = await world.product({ gpus: 1 });
//   await world.image();
//   const [instance] = await world.launch(principal, { instanceType: product.name });
//
// Names are counted up, and never come again within a file.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Database, DatabaseConfig, Transaction } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { createAccount, type Quotas } from "../../src/rental/accounts/account-store.ts";
import { CapacityCache } from "../../src/rental/capacity/cache.ts";
import { type Image, type NewImage, putImage } from "../../src/rental/catalog/image-store.ts";
import { putInstanceType } from "../../src/rental/catalog/instance-type-store.ts";
import { putRegion } from "../../src/rental/catalog/region-store.ts";
import { type Coupon, putCoupon } from "../../src/rental/coupons/coupons.ts";
import { createFileSystem, type FileSystem } from "../../src/rental/file-systems/file-systems.ts";
import { change } from "../../src/rental/instances/change.ts";
import type { Instance, InstanceType } from "../../src/rental/instances/instance.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import type { Principal, RentalLimits, Service } from "../../src/rental/service.ts";
import type { SshKey } from "../../src/rental/ssh-keys/ssh-key.ts";
import { addKey } from "../../src/rental/ssh-keys/ssh-keys.ts";
import type { InstanceAction, State } from "../../src/rules/lifecycle.ts";
import type { PaymentTerms } from "../../src/rules/payment-terms.ts";
import { type FreshDatabase, freshDatabase } from "./database.ts";
import { emptyTables } from "./empty-tables.ts";
import { testKeyRing } from "./key-ring.ts";
import { launch } from "./launch-all.ts";

/** A host as a test describes it. Its GPUs are alike, spread evenly over `numaNodes`. */
export interface HostSpec {
  readonly name: string;
  readonly region: string;
  readonly engine: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  readonly gpus: number;
  readonly gpuModel: string;
  readonly numaNodes: number;
  /** How many of the GPUs, the first ones, are broken. */
  readonly brokenGpus: number;
  readonly cordoned: boolean;
  readonly available: boolean;
}

const plenty: Quotas = { instances: 10_000, gpus: 10_000, vcpus: 100_000, ssh_keys: 1000, file_systems: 1000 };
const defaultLimits: RentalLimits = {
  maxQuantity: 64,
  terminatedVisibleSeconds: 3600,
  terminatedReadableDays: 30,
  limitCheckSeconds: 30,
};

/** The field names of a launch, each unlike any column or property, so that a test sees where an error's name is from. */
export const launchFields: LaunchOrder["fields"] = {
  instanceType: "field_type",
  region: "field_region",
  quantity: "field_quantity",
  sshKeyNames: "field_keys",
  fileSystemNames: "field_file_systems",
  name: "field_name",
  image: "field_image",
  envVars: "field_env_vars",
  command: "field_command",
};

/** A world that is open already; close it in `afterAll`, or hold it with `await using`. */
export async function makeWorld(limits: Partial<RentalLimits> = {}): Promise<World> {
  const world = new World(limits);
  await world.open();
  return world;
}

/** A world that is open while the tests of the file (or of the `describe` it is called in) run, empty before each. */
export function worldOfFile(limits: Partial<RentalLimits> = {}): World {
  const world = new World(limits);
  beforeAll(() => world.open());
  beforeEach(() => world.empty());
  afterAll(() => world.close());
  return world;
}

interface AccountSpec {
  readonly name?: string;
  readonly quotas?: Partial<Quotas>;
  readonly spendLimitCents?: number;
  readonly paymentTerms?: PaymentTerms;
  readonly creditLineCents?: number;
}

export class World implements AsyncDisposable {
  readonly #limits: RentalLimits;
  #fresh: FreshDatabase | undefined;
  #service: Service | undefined;
  #count = 0;

  constructor(limits: Partial<RentalLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  get db(): Database {
    return opened(this.#fresh).db;
  }

  /** For another pool on the same database. */
  get config(): DatabaseConfig {
    return opened(this.#fresh).config;
  }

  get url(): string {
    return this.config.url;
  }

  get service(): Service {
    return opened(this.#service);
  }

  async open(): Promise<void> {
    this.#fresh = await freshDatabase();
    this.#service = this.#newService();
  }

  /** Nothing is in it any more; names go on counting. */
  async empty(): Promise<void> {
    await emptyTables(this.db, "public");
    this.#service = this.#newService();
  }

  async close(): Promise<void> {
    await this.#fresh?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newService(): Service {
    return { keyRing: testKeyRing(), limits: this.#limits, capacity: new CapacityCache(this.db) };
  }

  /** One transaction, as a request is one. */
  tx<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return inTransaction(this.db, body);
  }

  /** A name that nothing in this world has yet. */
  fresh(word: string): string {
    this.#count += 1;
    return `${word}-${this.#count}`;
  }

  /** An account that may hold plenty, and a token that may do everything but operate. */
  async account(spec: AccountSpec = {}): Promise<Principal> {
    const account = await this.tx((tx) =>
      createAccount(tx, {
        name: spec.name ?? this.fresh("account"),
        quotas: { ...plenty, ...spec.quotas },
        spendLimitCents: spec.spendLimitCents ?? null,
        paymentTerms: spec.paymentTerms,
        creditLineCents: spec.creditLineCents ?? null,
      }),
    );
    return { accountId: account.id, tokenId: uuidv7(), scopes: new Set(["read", "write"]) };
  }

  region(name: string): Promise<{ name: string; description: string }> {
    return this.tx((tx) => putRegion(tx, { name, description: `The region ${name}` }));
  }

  /** A host with 64 vCPUs, 512 GiB, 4000 GB and no GPUs unless told; its region is made too. Gives its name. */
  async host(spec: Partial<HostSpec> = {}): Promise<string> {
    const host: HostSpec = {
      name: spec.name ?? this.fresh("host"),
      region: "north",
      engine: "simulated",
      vcpus: 64,
      memoryGib: 512,
      storageGb: 4000,
      gpus: 0,
      gpuModel: "H100",
      numaNodes: 2,
      brokenGpus: 0,
      cordoned: false,
      available: true,
      ...spec,
    };
    await this.region(host.region);
    await this.tx((tx) => insertHost(tx, host));
    return host.name;
  }

  /** A product with 1 GPU, 8 vCPUs, 64 GiB, 500 GB and 100 cents an hour unless told. With `gpus: 0` it has no model. */
  product(spec: Partial<InstanceType> = {}): Promise<InstanceType> {
    const product: InstanceType = {
      name: this.fresh("type"),
      description: "A machine for tests",
      gpuModel: spec.gpus === 0 ? null : "H100",
      gpuDescription: spec.gpus === 0 ? "" : "H100 (80 GB)",
      gpus: 1,
      vcpus: 8,
      memoryGib: 64,
      storageGb: 500,
      priceCentsPerHour: 100,
      spotPriceCentsPerHour: null,
      architecture: "x86_64",
      ...spec,
    };
    return this.tx((tx) => putInstanceType(tx, product));
  }

  /** An image that runs on everything and is the default one unless told. */
  image(spec: Partial<NewImage> = {}): Promise<Image> {
    this.#count += 1;
    const image: NewImage = {
      name: `image-${this.#count}`,
      number: this.#count,
      description: "An image for tests",
      family: "ubuntu",
      version: "",
      architecture: "x86_64",
      loginUser: "ubuntu",
      unsupportedGpuModels: [],
      driverBranch: null,
      jupyter: false,
      metrics: false,
      isDefault: true,
      ...spec,
    };
    return this.tx((tx) => putImage(tx, image));
  }

  /** Ten per cent off everything, for another day, unless told. */
  coupon(spec: Partial<Coupon> = {}): Promise<Coupon> {
    const coupon: Coupon = {
      code: this.fresh("COUPON"),
      discountBasisPoints: 1000,
      deactivationDate: new Date(Date.now() + 86_400_000),
      instanceTypes: [],
      active: true,
      ...spec,
    };
    return this.tx((tx) => putCoupon(tx, coupon));
  }

  sshKey(principal: Principal, name = this.fresh("key")): Promise<SshKey> {
    return this.tx((tx) =>
      addKey(tx, principal, { name, publicKey: examplePublicKey, fields: { name: "name", publicKey: "public_key" } }),
    );
  }

  /** A file system of 100 GB in region "north" unless told; the region has to be there. */
  fileSystem(
    principal: Principal,
    spec: { name?: string; region?: string; sizeGb?: number } = {},
  ): Promise<FileSystem> {
    const order = { name: this.fresh("volume"), region: "north", sizeGb: 100, ...spec };
    return this.tx((tx) => createFileSystem(tx, principal, order));
  }

  /** A launch of one instance anywhere, without keys or anything else, unless told. */
  async launch(
    principal: Principal,
    order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">,
  ): Promise<readonly Instance[]> {
    await this.service.capacity.refresh();
    return this.tx((tx) => launch(tx, this.service, principal, launchOrder(order)));
  }

  /** As `launch`, for the one instance there then is. */
  async launchOne(
    principal: Principal,
    order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">,
  ): Promise<Instance> {
    return only(await this.launch(principal, order));
  }

  /** What a customer wishes for instances, by id. */
  change(principal: Principal, wish: InstanceAction, ids: readonly string[]): Promise<Instance[]> {
    return this.tx((tx) => change(tx, this.service, principal, wish, ids, "field_ids"));
  }

  /** Sets an instance's state as if the engine had brought it there; nothing else is done that goes with it. */
  async put(id: string, state: State): Promise<void> {
    await sql`update instances set state = ${state}, fulfilled_generation = generation,
      terminating_at = case when ${state} in ('terminating', 'terminated') then coalesce(terminating_at, now()) end,
      terminated_at = case when ${state} = 'terminated' then now() end
      where id = ${id}`.execute(this.db);
  }
}

/** A launch order with everything that is not named left out. */
export function launchOrder(order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">): LaunchOrder {
  return {
    region: "any",
    quantity: 1,
    sshKeyNames: [],
    fileSystemNames: [],
    envVars: {},
    passwordWithoutKeys: false,
    fields: launchFields,
    ...order,
  };
}

/** The one element of a list that has to have exactly one. */
export function only<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined || list.length !== 1) throw new Error(`one was expected, there are ${list.length}`);
  return first;
}

export const examplePublicKey =
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ann@laptop";

function opened<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the world is not open yet: it opens in beforeAll");
  return part;
}

async function insertHost(tx: Transaction, host: HostSpec): Promise<void> {
  await tx
    .insertInto("hosts")
    .values({
      name: host.name,
      engine: host.engine,
      region: host.region,
      vcpus: host.vcpus,
      memory_gib: host.memoryGib,
      storage_gb: host.storageGb,
      free_vcpus: host.vcpus,
      free_memory_gib: host.memoryGib,
      free_storage_gb: host.storageGb,
      mode: host.cordoned ? "cordoned" : "up",
      available: host.available,
    })
    .execute();
  if (host.gpus === 0) return;
  const free = host.gpus - host.brokenGpus;
  await tx.insertInto("gpu_pools").values({ host: host.name, model: host.gpuModel, total: host.gpus, free }).execute();
  const perNode = Math.ceil(host.gpus / host.numaNodes);
  const gpus = Array.from({ length: host.gpus }, (_, index) => ({
    host: host.name,
    address: `0000:${(index + 1).toString(16).padStart(2, "0")}:00.0`,
    model: host.gpuModel,
    memory_gib: 80,
    numa_node: Math.floor(index / perNode),
    healthy: index >= host.brokenGpus,
  }));
  await tx.insertInto("gpus").values(gpus).execute();
}
