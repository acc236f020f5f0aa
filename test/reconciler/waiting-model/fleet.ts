// A small fleet by chance, and customers, in the real thing and in the model alike: small enough that launches often fit
// exactly, and often just do not.

import { sql } from "kysely";
import { createToken } from "../../../src/rental/accounts/token-store.ts";
import { putInstanceType } from "../../../src/rental/catalog/instance-type-store.ts";
import type { InstanceType } from "../../../src/rental/instances/instance.ts";
import type { Principal } from "../../../src/rental/service.ts";
import type { Random } from "../../support/random.ts";
import type { World } from "../../support/world.ts";
import type { Model, ModelAccount, ModelHost, ModelType } from "./model.ts";

export const regions = ["north", "south"] as const;
export const racks = ["left", "right"] as const;

const perGpu = { vcpus: 8, memoryGib: 64, storageGb: 500 };
const gpuTypes = [
  ["H100", 1],
  ["H100", 2],
  ["H100", 4],
  ["H100", 8],
  ["A100", 1],
  ["A100", 2],
] as const;

export const types: readonly ModelType[] = [
  { name: "cpu", gpuModel: undefined, gpus: 0, vcpus: 4, memoryGib: 16, storageGb: 100, cents: 10, spotCents: 5 },
  {
    ...{ name: "big-cpu", gpuModel: undefined, gpus: 0, vcpus: 24, memoryGib: 192, storageGb: 400 },
    ...{ cents: 40, spotCents: undefined },
  },
  ...gpuTypes.map(([gpuModel, gpus]) => ({
    ...{ name: `${gpuModel}-${gpus}`, gpuModel, gpus, cents: 100 * gpus, spotCents: 30 * gpus },
    ...{ vcpus: gpus * perGpu.vcpus, memoryGib: gpus * perGpu.memoryGib, storageGb: gpus * perGpu.storageGb },
  })),
];

const hosts = [
  { gpuModel: "H100", gpus: 8, size: 8 },
  { gpuModel: "H100", gpus: 8, size: 8 },
  { gpuModel: "H100", gpus: 4, size: 4 },
  { gpuModel: "H100", gpus: 2, size: 3 },
  { gpuModel: "A100", gpus: 2, size: 2 },
  { gpuModel: "A100", gpus: 4, size: 3 },
  { gpuModel: undefined, gpus: 0, size: 1 },
] as const;

/** A fleet, two or three customers, and a token for each, in an empty world. */
export async function begin(
  world: World,
  random: Random,
): Promise<{ readonly model: Model; readonly principals: Map<string, Principal> }> {
  await world.image();
  for (const region of regions) await world.region(region);
  await world.tx(async (tx) => {
    for (const type of types) await putInstanceType(tx, instanceTypeOf(type));
  });
  const fleet = new Map<string, ModelHost>();
  for (let left = 3 + random.below(3); left > 0; left--) {
    const host = await newHost(world, random);
    fleet.set(host.name, host);
  }
  const accounts = new Map<string, ModelAccount>();
  const principals = new Map<string, Principal>();
  for (let left = 2 + random.below(2); left > 0; left--) {
    const quotas =
      random.below(3) === 0 ? { instances: 4, gpus: 6, vcpus: 64 } : { instances: 100, gpus: 100, vcpus: 1000 };
    const principal = await withToken(world, await world.account({ quotas }));
    const { accountId: id } = principal;
    await world.sshKey(principal, "laptop");
    accounts.set(id, { id, quotas, spendsNothing: false, keys: new Set(["laptop"]) });
    principals.set(id, principal);
  }
  const catalog = new Map(types.map((type) => [type.name, type]));
  const nothing = { instances: new Map(), launches: new Map(), revokedTokens: new Set<string>() };
  return { model: { types: catalog, hosts: fleet, accounts, ...nothing }, principals };
}

export async function putType(world: World, type: ModelType): Promise<void> {
  await world.tx((tx) => putInstanceType(tx, instanceTypeOf(type)));
}

function instanceTypeOf({ cents, spotCents, gpuModel, ...type }: ModelType): InstanceType {
  const words = { description: "", gpuDescription: gpuModel ?? "" };
  const prices = { priceCentsPerHour: cents, spotPriceCentsPerHour: spotCents ?? null };
  return { ...type, ...words, ...prices, gpuModel: gpuModel ?? null, architecture: "x86_64" };
}

export async function newHost(world: World, random: Random): Promise<ModelHost> {
  const { gpuModel, gpus, size } = random.one(hosts);
  const [region, rack] = [random.one(regions), random.one(racks)];
  const room = {
    vcpus: size * perGpu.vcpus,
    memoryGib: size * perGpu.memoryGib,
    storageGb: size * perGpu.storageGb,
  };
  const spec = { region, gpus, ...room, ...(gpuModel !== undefined && { gpuModel }) };
  const name = await world.host(spec);
  await sql`update hosts set labels = ${JSON.stringify({ rack })}::jsonb where name = ${name}`.execute(world.db);
  const { rows } = await sql<{ address: string }>`select address from gpus where host = ${name}`.execute(world.db);
  const addresses = new Map(rows.map(({ address }) => [address, false]));
  return { name, region, rack, accepts: true, ...room, gpuModel, gpus: addresses, kept: undefined };
}

export async function withToken(world: World, principal: Principal): Promise<Principal> {
  const order = { name: "test", accountId: principal.accountId, scopes: ["read", "write"] as const, expiresAt: null };
  const token = await world.tx((tx) => createToken(tx, order));
  return { ...principal, tokenId: token.id };
}
