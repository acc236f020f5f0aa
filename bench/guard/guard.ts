// What a user would feel of a change: reads and launches of this checkout against those of the commit that landed last, in
// turn on the same machine. Used by test/guard/, in CI.
//
// Invariant: a machine that is slower for a while slows both sides, so only ratios of neighbouring rounds count; and a
// single round says nothing, so a change is slower only if nearly all of them say so.

import { Generator, type Order } from "../load/generator.ts";
import { CONNECTIONS } from "../runs/against-peers.ts";
import { LAUNCH_CONNECTIONS, spreadOnMain } from "../runs/launching.ts";
import { tenantWith } from "../runs/principal-with.ts";
import { Service } from "../service/service.ts";
import { type Figure, ratioOf } from "../statistics.ts";
import { mainWorld } from "../worlds/catalog.ts";
import { type Customer, get, marketplace } from "../worlds/customers.ts";
import { makeWorld } from "../worlds/make-world.ts";
import { cleared } from "../worlds/settle.ts";

const seconds = 0.8;
const mostLaunches = 1000;

/** A change whose median ratio is below the first, and of whose rounds all are below the second, is slower. */
export const slower = { median: 0.8, most: 1 };

export type Guarded = "list" | "types" | "read" | "launch";

/** Requests a second of this checkout against those of the one in `landed`. */
export async function againstLanded(
  landed: string,
  directories: { readonly landed: string; readonly now: string },
  rounds: number,
): Promise<Record<Guarded, Figure>> {
  using generator = new Generator();
  await using before = await Side.start(generator, { directory: directories.landed, checkout: landed });
  await using after = await Side.start(generator, { directory: directories.now });
  const sides = [after, before];
  // V8 compiles while it warms up, and the launches' code paths are long.
  for (let round = -3; round < rounds; round++) {
    for (const side of sides) await side.round(round >= 0);
  }
  const ratio = (name: Guarded) => ratioOf(after.rates[name], before.rates[name]);
  return { list: ratio("list"), types: ratio("types"), read: ratio("read"), launch: ratio("launch") };
}

/** Whether the figure says that it became slower, beyond noise. */
export function isSlower({ median, most }: Figure): boolean {
  return median < slower.median && most < slower.most;
}

/** One of the two services, with its dataset. */
class Side implements AsyncDisposable {
  readonly rates: Record<Guarded, number[]> = { list: [], types: [], read: [], launch: [] };
  readonly #generator: Generator;
  readonly #service: Service;
  readonly #customers: readonly Customer[];
  readonly #reads: Readonly<Record<Exclude<Guarded, "launch">, Order>>;

  private constructor(
    generator: Generator,
    service: Service,
    customers: readonly Customer[],
    tenant: Awaited<ReturnType<typeof tenantWith>>,
  ) {
    this.#generator = generator;
    this.#service = service;
    this.#customers = customers;
    const read = (path: string): Order => ({
      ports: [service.ports.main],
      requests: [get(`${marketplace}${path}`, tenant.customer)],
      connections: CONNECTIONS,
      seconds,
    });
    this.#reads = {
      list: read("/instances"),
      types: read("/instance-types"),
      read: read(`/instances/${tenant.instanceIds[0]}`),
    };
  }

  static async start(generator: Generator, order: { directory: string; checkout?: string }): Promise<Side> {
    const service = await Service.start(order);
    const customers = await makeWorld(service, mainWorld);
    return new Side(generator, service, customers, await tenantWith(service, 20));
  }

  async round(counts: boolean): Promise<void> {
    for (const name of ["list", "types", "read"] as const) {
      this.#note(name, (await this.#generator.run(this.#reads[name])).rate, counts);
    }
    const launches = await this.#generator.run({
      ports: [this.#service.ports.main],
      requests: spreadOnMain(this.#customers),
      connections: LAUNCH_CONNECTIONS,
      seconds,
      mostRequests: mostLaunches,
    });
    this.#note("launch", launches.rate, counts);
    await cleared(this.#service, this.#customers);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }

  #note(name: Guarded, rate: number, counts: boolean): void {
    if (counts) this.rates[name].push(rate);
  }
}
