// A fleet of thousands of servers in the lab's databases, as copies of the rows of one real server and of one real host:
// real creates would take hours. Nothing runs on these hosts; an event of the database keeps their services alive. Used by
// fleet.test.ts and by the benchmark (bench/runs/openstack).
//
// Invariant: a copy has its own value wherever its original has one of `Identity`, also inside JSON, and is otherwise equal.

import { sql } from "./databases.ts";
import { type Layout, openStackLabs } from "./layout.ts";

export interface FleetSize {
  readonly hosts: number;
  /** Each has one GPU, and so many fill a host. */
  readonly perHost: number;
  /** How many copies there are of the server. */
  readonly servers: number;
}

/** A copy, as Lessor knows it. */
export interface FleetMachine {
  readonly id: string;
  readonly host: string;
  readonly address: string;
  /** Of its host's eight. */
  readonly gpu: string;
}

const hostName = (n: string) => `concat('fleet', lpad(${n}, 4, '0'))`;
const uuid = (text: string) => [9, 14, 19, 24].reduce((all, at) => `insert(${all}, ${at}, 0, '-')`, `md5(${text})`);

/** What is replaced in every text, by expressions of `n`, the number of the copy. */
type Identity = readonly (readonly [original: string, copy: string])[];

/** Copies the host with its room in Placement, so that Nova and Placement show all of them. */
export async function addHosts(slot: number, original: string, { hosts }: FleetSize): Promise<void> {
  const layout = openStackLabs.layoutOf(slot);
  const node = await one(layout, `select uuid from nova_cell1.compute_nodes where host = '${original}'`);
  const identity: Identity = [
    [node, uuid("concat('node ', n)")],
    [original, hostName("n")],
  ];
  const copy = (table: string, where: string, set: Values = {}) => copyRows(layout, table, where, identity, hosts, set);
  const provider = await one(layout, `select id from placement.resource_providers where name = '${original}'`);
  const newProvider = `(select id from placement.resource_providers where name = ${hostName("n")})`;
  await copy("nova_cell1.services", `\`host\` = '${original}'`, { uuid: uuid("concat('service ', n)") });
  await copy("nova_cell1.compute_nodes", `\`host\` = '${original}'`);
  await copy("nova_api.host_mappings", `\`host\` = '${original}'`);
  await copy("nova_api.aggregate_hosts", `\`host\` = '${original}'`);
  await copy("placement.resource_providers", `id = ${provider}`, { root_provider_id: "null" });
  await sql(
    layout,
    `update placement.resource_providers set root_provider_id = id where root_provider_id is null;
     set global event_scheduler = on;
     create event if not exists nova_cell1.fleet_is_up on schedule every 3 second do
       update nova_cell1.services set last_seen_up = utc_timestamp(), report_count = report_count + 1
       where \`host\` like 'fleet%';`,
  );
  for (const table of ["inventories", "resource_provider_traits", "resource_provider_aggregates"]) {
    await copy(`placement.${table}`, `resource_provider_id = ${provider}`, { resource_provider_id: newProvider });
  }
}

/** Copies the machine's server and port so many times, and spreads them over the hosts. */
export async function addServers(
  slot: number,
  machineId: string,
  { servers, perHost }: FleetSize,
): Promise<readonly FleetMachine[]> {
  const layout = openStackLabs.layoutOf(slot);
  const [server = "", host = ""] = await row(
    layout,
    `select uuid, host from nova_cell1.instances where display_name = 'lessor-${machineId}' and deleted = 0`,
  );
  const [port = "", mac = "", attribute = "", address = ""] = await row(
    layout,
    `select p.id, p.mac_address, p.standard_attr_id, a.ip_address from neutron.ports p
     join neutron.ipallocations a on a.port_id = p.id where p.device_id = '${server}'`,
  );
  const attributes = await one(layout, "select max(id) from neutron.standardattributes");
  const newHost = hostName(`1 + floor((n - 1) / ${perHost})`);
  const identity: Identity = [
    [server, uuid("concat('server ', n)")],
    [machineId, uuid("concat('machine ', n)")],
    [port, uuid("concat('port ', n)")],
    [mac, "concat('fa:17:00:00:', lpad(hex(floor(n / 256)), 2, '0'), ':', lpad(hex(mod(n, 256)), 2, '0'))"],
    [address, "concat('10.20.', 100 + floor(n / 250), '.', 1 + mod(n, 250))"],
    [host, newHost],
    ["CUSTOM_GPU_H200/0", `concat('CUSTOM_GPU_H200/', mod(n - 1, ${perHost}))`],
  ];
  const copy = (table: string, where: string, set: Values = {}) =>
    copyRows(layout, table, where, identity, servers, set);
  const ofAttribute = { standard_attr_id: `${attributes} + n` };

  await copy("neutron.standardattributes", `id = ${attribute}`, { id: `${attributes} + n` });
  await copy("neutron.ports", `id = '${port}'`, ofAttribute);
  await copy("neutron.tags", `standard_attr_id = ${attribute}`, ofAttribute);
  await copy("neutron.ipamallocations", `ip_address = '${address}'`);
  for (const table of await tablesWith(layout, "neutron", "port_id")) await copy(table, `port_id = '${port}'`);

  // Nothing has changed for a day.
  await copy("nova_cell1.instances", `uuid = '${server}'`, { updated_at: "original.updated_at - interval 1 day" });
  await copy("nova_cell1.instance_id_mappings", `uuid = '${server}'`);
  await copy("nova_cell1.tags", `resource_id = '${server}'`);
  const parts = ["extra", "info_caches", "metadata", "system_metadata"].map((name) => `instance_${name}`);
  for (const table of [...parts, "virtual_interfaces"]) {
    await copy(`nova_cell1.${table}`, `instance_uuid = '${server}'`);
  }
  const set = { uuid: uuid("concat('device ', n)") };
  await copy("nova_cell1.block_device_mapping", `instance_uuid = '${server}'`, set);
  for (const table of ["instance_mappings", "request_specs"]) {
    await copy(`nova_api.${table}`, `instance_uuid = '${server}'`);
  }
  await copy("placement.consumers", `uuid = '${server}'`);
  const provider = `(select id from placement.resource_providers where name = ${newHost})`;
  await copy("placement.allocations", `consumer_id = '${server}'`, { resource_provider_id: provider });
  const made = await rows(
    layout,
    `select substr(i.display_name, 8), i.host, a.ip_address, m.value from nova_cell1.instances i
     join neutron.ports p on p.device_id = i.uuid join neutron.ipallocations a on a.port_id = p.id
     join nova_cell1.instance_metadata m on m.instance_uuid = i.uuid and m.\`key\` = 'lessor-gpus'
     where i.host like 'fleet%' order by i.id`,
  );
  return made.map(([id = "", host = "", address = "", gpu = ""]) => ({ id, host, address, gpu }));
}

type Values = Readonly<Record<string, string>>;

/** `set`: columns with other values, as expressions of `n`. */
async function copyRows(
  layout: Layout,
  table: string,
  where: string,
  identity: Identity,
  count: number,
  set: Values = {},
): Promise<void> {
  const [schema, name] = table.split(".");
  const columns = await rows(
    layout,
    `select column_name, data_type from information_schema.columns
     where table_schema = '${schema}' and table_name = '${name}' and generation_expression is null
     order by extra = 'auto_increment', ordinal_position`,
  );
  const keys = await rows(
    layout,
    `select column_name from information_schema.columns
     where table_schema = '${schema}' and table_name = '${name}' and extra = 'auto_increment'`,
  );
  const numbered = new Set(keys.flat());
  const values = columns.flatMap(([column = "", type = ""]): [string, string][] => {
    const value = set[column];
    if (value !== undefined) return [[column, value]];
    if (numbered.has(column)) return [];
    const own = `original.\`${column}\``;
    const isText = /char|text/.test(type);
    const changed = isText ? identity.reduce((all, [from, to]) => `replace(${all}, '${from}', ${to})`, own) : own;
    return [[column, changed]];
  });
  await sql(
    layout,
    `insert into ${table} (${values.map(([column]) => `\`${column}\``).join(", ")})
     select ${values.map(([, value]) => value).join(", ")}
     from (select * from ${table} where ${where}) original join (select seq as n from ${schema}.seq_1_to_${count}) numbers;`,
  );
}

async function tablesWith(layout: Layout, schema: string, column: string): Promise<string[]> {
  const found = await rows(
    layout,
    `select concat(table_schema, '.', table_name) from information_schema.columns
     where table_schema = '${schema}' and column_name = '${column}'`,
  );
  return found.flat();
}

async function one(layout: Layout, query: string): Promise<string> {
  const [value] = await row(layout, query);
  if (value === undefined || value === "NULL") throw new Error(`The lab's database has nothing for: ${query}`);
  return value;
}

async function row(layout: Layout, query: string): Promise<string[]> {
  const [first, ...others] = await rows(layout, query);
  if (first === undefined || others.length > 0) throw new Error(`Not one row in the lab's database: ${query}`);
  return first;
}

async function rows(layout: Layout, query: string): Promise<string[][]> {
  return (await sql(layout, query))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t"));
}
