// Creates a dataset in a service: the catalog and customers through the control interface, hosts as rows of the
// simulated engine, which reports them as every engine does. A hundred thousand PUTs would take ten minutes.

import type { Query, Service } from "../service/service.ts";
import { gpusPerHost, type HostGroup, hostSize, productsOf, regions, type WorldSpec } from "./catalog.ts";
import { type Customer, makeCustomers } from "./customers.ts";

/** Resolves with the customers when every host is schedulable. An external engine has its hosts already. */
export async function makeWorld(service: Service, world: WorldSpec): Promise<Customer[]> {
  for (const region of regions) await service.control("PUT", `/regions/${region}`, { description: `Region ${region}` });
  await service.control("PUT", "/images/ubuntu-22.04", {
    number: 1,
    description: "Ubuntu 22.04",
    family: "ubuntu",
    login_user: "ubuntu",
    default: true,
  });
  for (const [name, body] of productsOf(world)) await service.control("PUT", `/instance-types/${name}`, body);
  // In one transaction, so that no resync finds hosts without their GPUs, which it would store again with them.
  if (!service.hasExternalEngine) {
    await service.transaction(async (query) => {
      for (const group of world.hosts) await insertHosts(query, group);
    });
  }
  // A full resync runs every 15 seconds, and at start.
  await service.restart();
  await allFound(
    service,
    world.hosts.reduce((sum, { count }) => sum + count, 0),
  );
  await service.query("analyze");
  return makeCustomers(service, world.accounts, "customer");
}

async function insertHosts(query: Query, group: HostGroup): Promise<void> {
  const { prefix, count, regions: of, models } = group;
  const { vcpus, memoryGib, storageGb } = hostSize;
  await query(
    `insert into simulated.hosts (name, region, vcpus, memory_gib, storage_gb)
     select $1 || '-' || lpad(n::text, 5, '0'), ($2::text[])[1 + n % cardinality($2::text[])], $4, $5, $6
     from generate_series(0, $3::integer - 1) n`,
    [prefix, of, count, vcpus, memoryGib, storageGb],
  );
  // The model changes after all regions had it once.
  await query(
    `insert into simulated.gpus (host, address, model, memory_gib, numa_node)
     select $1 || '-' || lpad(n::text, 5, '0'), '0000:' || to_hex(16 + gpu) || ':00.0',
       ($4::text[])[1 + n / $5::integer % cardinality($4::text[])], 80, gpu / 4
     from generate_series(0, $2::integer - 1) n, generate_series(0, $3::integer - 1) gpu`,
    [prefix, count, gpusPerHost, models, of.length],
  );
}

async function allFound(service: Service, hosts: number): Promise<void> {
  const deadline = Date.now() + 600_000;
  for (;;) {
    const [row] = await service.query<{ found: number }>(
      "select count(*)::integer as found from hosts where available",
    );
    if (row?.found === hosts) return;
    if (Date.now() > deadline) throw new Error(`${row?.found} of ${hosts} hosts were found by their engine`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
