// How the fake's Neutron gives a list: filters by any attribute, some fields only, page by page.

import type { FakeAnswer, FakeCall } from "./exchange.ts";
import { refusal } from "./exchange.ts";

const controls = [
  "fields",
  "limit",
  "marker",
  "page_reverse",
  "sort_key",
  "sort_dir",
  "fixed_ips",
  "tags-any",
  "not-tags",
];

export function page(call: FakeCall, key: string, rows: readonly Record<string, unknown>[]): FakeAnswer {
  const { query, base, path } = call;
  const attributes = new Set(rows.flatMap((row) => Object.keys(row)));
  const known = new Set([...attributes, ...Object.keys(example)]);
  const odd = [...query.keys()].find((name) => !controls.includes(name) && !known.has(name));
  if (odd !== undefined) throw refusal("network", 400, `['${odd}'] is invalid attribute for filtering`);
  const found = rows.filter((row) => [...new Set(query.keys())].every((name) => fits(row, name, query.getAll(name))));
  const marker = query.get("marker");
  const begin = marker === null ? 0 : found.findIndex(({ id }) => id === marker) + 1;
  const limit = Number(query.get("limit") ?? found.length);
  const given = found.slice(begin, begin + limit);
  const fields = query.getAll("fields");
  const some = (row: Record<string, unknown>) =>
    fields.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)));
  const last = given.at(-1)?.id;
  if (query.get("limit") === null || given.length < limit || last === undefined)
    return { status: 200, body: { [key]: given.map(some) } };
  const next = new URLSearchParams([...query].filter(([name]) => name !== "marker"));
  next.set("marker", String(last));
  const links = [{ rel: "next", href: `${base}${path}?${next}` }];
  return { status: 200, body: { [key]: given.map(some), [`${key}_links`]: links } };
}

/** Attributes that may be filtered by although no row is there to show them. */
const example = {
  ...{
    id: 0,
    name: 0,
    description: 0,
    project_id: 0,
    tenant_id: 0,
    tags: 0,
    status: 0,
    shared: 0,
    "router:external": 0,
  },
  ...{
    device_id: 0,
    device_owner: 0,
    network_id: 0,
    port_id: 0,
    security_groups: 0,
    security_group_id: 0,
    mac_address: 0,
  },
  ...{ floating_network_id: 0, floating_ip_address: 0, fixed_ip_address: 0, direction: 0, ethertype: 0, protocol: 0 },
};

/** One of the values of a filter is enough; all of the tags are needed. */
function fits(row: Record<string, unknown>, name: string, values: readonly string[]): boolean {
  const of = row[name];
  if (name === "tags")
    return values.flatMap((one) => one.split(",")).every((tag) => Array.isArray(of) && of.includes(tag));
  if (name === "tags-any") {
    const tags = row.tags;
    return values.flatMap((one) => one.split(",")).some((tag) => Array.isArray(tags) && tags.includes(tag));
  }
  if (name === "fixed_ips") {
    const addresses = JSON.stringify(row.fixed_ips ?? []);
    return values.some((one) => addresses.includes(`"${one.split("=").at(-1)}"`));
  }
  if (controls.includes(name)) return true;
  if (Array.isArray(of)) return values.some((one) => of.includes(one));
  return values.some((one) => String(of ?? "").toLowerCase() === one.toLowerCase());
}
