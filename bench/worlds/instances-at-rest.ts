// Active, idle instances as rows: what a million launches would have left behind. The only place of the
// benchmark that knows the rental's tables; the ledger it writes is checked by test/support/audit.ts.

import type { Service } from "../service/service.ts";
import { cpuProduct } from "./catalog.ts";
import { type Customer, customerOf } from "./customers.ts";

/** Of each account, however many instances there are: the list of one is equally long in every dataset. */
export const instancesOfAccount = 20;

/**
 * Spread evenly over all hosts and over new accounts, `ofAccount` each. One transaction, so no full resync sees a part.
 * Returns one of the accounts.
 */
export async function putAtRest(service: Service, count: number, ofAccount = instancesOfAccount): Promise<Customer> {
  const owners = await makeAccounts(service, Math.ceil(count / ofAccount));
  const { name, vcpus, memoryGib, storageGb, priceCentsPerHour } = cpuProduct;
  await service.transaction(async (query) => {
    await query(
      `create temporary table resting (n integer, id uuid, account_id uuid, host text, region text, ip inet)
       on commit drop`,
    );
    await query(`insert into resting ${numbered}`, [count, owners]);
    await query(
      `insert into instances (id, account_id, name, hostname, state, region, region_description, instance_type,
         type_description, gpu_description, gpus, vcpus, memory_gib, storage_gb, price_cents_per_hour, image_name,
         image_number, image_description, login_user, ssh_keys, engine, host, ip, fulfilled_generation, next_look_at,
         active_at)
       select id, account_id, 'at-rest-' || n, 'at-rest-' || n, 'active', region, 'Region ' || region, $1,
         '8 vCPUs, no GPU', 'N/A', 0, $2, $3, $4, $5, 'ubuntu-22.04', 1, 'Ubuntu 22.04', 'ubuntu', '[]', 'simulated',
         host, host(ip), 1, null, now()
       from resting order by n`,
      [name, vcpus, memoryGib, storageGb, priceCentsPerHour],
    );
    await query(
      `insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points)
       select id, account_id, now(), $1, 0 from resting order by n`,
      [priceCentsPerHour],
    );
    await query(
      `insert into simulated.machines (id, host, account_id, generation, vcpus, memory_gib, storage_gb, image, hostname,
         login_user, ssh_keys, password_login, env_names, file_systems, ip, power)
       select id, host, account_id, 1, $1, $2, $3, 'ubuntu-22.04', 'at-rest-' || n, 'ubuntu', '{}', false, '{}', '{}',
         ip, 'on' from resting order by n`,
      [vcpus, memoryGib, storageGb],
    );
    await query("select setval('simulated.addresses', $1)", [count + 1]);
    await query(
      `update hosts set free_vcpus = free_vcpus - held.n * $1, free_memory_gib = free_memory_gib - held.n * $2,
         free_storage_gb = free_storage_gb - held.n * $3
       from (select host, count(*)::integer as n from resting group by host) held where held.host = hosts.name`,
      [vcpus, memoryGib, storageGb],
    );
    await query(
      `update accounts set used_instances = used_instances + held.n, used_vcpus = used_vcpus + held.n * $1
       from (select account_id, count(*)::integer as n from resting group by account_id) held
       where held.account_id = accounts.id`,
      [vcpus],
    );
  });
  await service.query("vacuum analyze");
  const [first] = owners;
  if (first === undefined) throw new Error("BUG: no account owns the instances");
  return customerOf(service, first);
}

/** As rows too: at a million instances there are 50,000. Returns their ids. */
async function makeAccounts(service: Service, count: number): Promise<string[]> {
  const rows = await service.query<{ id: string }>(
    `insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
     select gen_random_uuid(), 'at-rest-' || n, 100000, 100000, 1000000, 1000, 1000 from generate_series(1, $1::integer) n
     returning id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** In the order of `n`, as launches one after the other. Joined by hash: by a loop, a million rows would take an hour. */
const numbered = `
  select n, md5(n::text)::uuid as id,
    ($2::uuid[])[1 + n % cardinality($2::uuid[])] as account_id, h.name as host, h.region,
    simulated.address(n) as ip
  from generate_series(1, $1::integer) n
  join (select name, region, row_number() over (order by name) - 1 as place from hosts) h
    on h.place = n % (select count(*) from hosts)`;
