// The service of `openstack` on the lab of test/openstack: its settings, its catalog, and a fleet at rest. The rows of the
// cloud are copies of those of one instance that was launched (test/openstack/lab/fleet.ts), and so are Lessor's.

import { setTimeout as sleep } from "node:timers/promises";
import { addHosts, addServers, type FleetMachine, type FleetSize } from "../../../test/openstack/lab/fleet.ts";
import type { Lab } from "../../../test/openstack/lab/lab.ts";
import type { Service } from "../../service/service.ts";
import { customerOf, makeCustomers, marketplace } from "../../worlds/customers.ts";

export const engine = "cloud";
const gpuClass = "CUSTOM_GPU_H200";
/** An eighth of the lab's hosts: eight leave none of their vCPUs. */
const product = { vcpus: 32, memory_gib: 240, storage_gb: 2000, gpus: 1, gpu_model: "h200_sxm5" };

/** Of lessor.yaml; what is not said has its default. */
export function cloudSettings(lab: Lab): object {
  return {
    name: engine,
    clouds_file: lab.cloudsFile,
    cloud: "admin",
    regions: { north: { network: lab.names.network, availability_zone: lab.aggregates.gpus } },
    gpus: { [gpuClass]: { model: product.gpu_model, memory_gib: 141 } },
    images: { "debian-12": { name: lab.names.image } },
    // No guest boots in the lab.
    ssh_probe: { command: ["sh", "-c", "echo SSH-2.0-lab # {ip}"] },
    management_networks: ["10.0.0.0/8"],
  };
}

/** Launches one instance, and copies it and its host. All are at rest then, as after days. */
export async function fill(lab: Lab, service: Service, size: FleetSize): Promise<void> {
  await service.control("PUT", "/regions/north", { description: "North" });
  const image = { number: 1, description: "Debian 12", family: "debian", login_user: "debian", default: true };
  await service.control("PUT", "/images/debian-12", image);
  await service.control("PUT", "/instance-types/gpu", { ...product, price_cents_per_hour: 249 });
  const real = lab.hosts.filter(({ gpus }) => gpus === "class").length;
  await hostsAvailable(service, real);
  const [account] = await makeCustomers(service, 1, "fleet");
  if (account === undefined) throw new Error("BUG: no account");
  const { token } = await customerOf(service, account.accountId);
  const order = { instance_type_name: "gpu", region_name: "north", quantity: 1, ssh_key_names: [], name: "first" };
  await service.call("POST", `${marketplace}/instance-operations/launch`, token, order);
  const first = await launched(service);
  await addHosts(lab.slot, first.host, size);
  await hostsAvailable(service, real + size.hosts);
  // So that no resync sees a part.
  await service.pause();
  const machines = await addServers(lab.slot, first.id, size);
  if (machines.length !== size.servers) throw new Error(`${machines.length} of ${size.servers} servers were copied`);
  await copyInstances(service, first.id, machines);
  await service.resume();
}

async function launched(service: Service): Promise<{ readonly id: string; readonly host: string }> {
  for (const deadline = performance.now() + 120_000; ; await sleep(200)) {
    const [one] = await service.query<{ id: string; host: string; state: string }>(
      "select id, host, state from instances",
    );
    if (one?.state === "active") return one;
    if (performance.now() > deadline) throw new Error(`the first instance is ${one?.state} after two minutes`);
  }
}

async function hostsAvailable(service: Service, count: number): Promise<void> {
  for (const deadline = performance.now() + 180_000; ; await sleep(500)) {
    const [row] = await service.query<{ found: number }>(
      "select count(*)::integer as found from hosts where available",
    );
    if (row?.found === count) return;
    if (performance.now() > deadline) throw new Error(`${row?.found} of ${count} hosts were found`);
  }
}

async function copyInstances(service: Service, original: string, machines: readonly FleetMachine[]): Promise<void> {
  const columns = await service.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'instances' and column_name <> 'position'
       and is_generated = 'NEVER'`,
  );
  const own: Readonly<Record<string, string>> = {
    id: "m.id",
    name: "'rented-' || m.n",
    hostname: "'rented-' || m.n",
    host: "m.host",
    ip: "m.address",
    gpu_addresses: "array[m.gpu]",
  };
  const names = columns.map(({ name }) => name);
  const lists = [machines.map(({ id }) => id), machines.map(({ host }) => host)];
  const others = [machines.map(({ address }) => address), machines.map(({ gpu }) => gpu)];
  await service.transaction(async (query) => {
    await query("create temporary table made (n integer, id uuid, host text, address text, gpu text) on commit drop");
    await query(
      `insert into made select n, id, host, address, gpu
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) with ordinality m (id, host, address, gpu, n)`,
      [...lists, ...others],
    );
    await query(
      `insert into instances (${names.join(", ")})
       select ${names.map((name) => own[name] ?? `i.${name}`).join(", ")}
       from instances i, made m where i.id = $1 order by m.n`,
      [original],
    );
    await query(
      `insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points)
       select m.id, i.account_id, now(), i.price_cents_per_hour, 0 from instances i, made m where i.id = $1`,
      [original],
    );
    await query("update gpus set instance_id = m.id from made m where gpus.host = m.host and gpus.address = m.gpu");
    await query(
      `update gpu_pools set free = free - held.n
       from (select host, count(*)::integer as n from made group by host) held where held.host = gpu_pools.host`,
    );
    await query(
      `update hosts set free_vcpus = free_vcpus - held.n * $1, free_memory_gib = free_memory_gib - held.n * $2,
         free_storage_gb = free_storage_gb - held.n * $3
       from (select host, count(*)::integer as n from made group by host) held where held.host = hosts.name`,
      [product.vcpus, product.memory_gib, product.storage_gb],
    );
    await query(
      `update accounts set used_instances = used_instances + held.n, used_gpus = used_gpus + held.n,
         used_vcpus = used_vcpus + held.n * $1
       from (select i.account_id, count(*)::integer as n from made m join instances i on i.id = m.id group by 1) held
       where held.account_id = accounts.id`,
      [product.vcpus],
    );
  });
  await service.query("vacuum analyze");
}
