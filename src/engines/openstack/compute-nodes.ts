// The compute nodes of a region, each with its host and its provider in Placement. Used by hosts.ts and the check.
//
// Nova lists nodes by looking up the host of each, one after the other: seconds for hundreds. Which node is whose does not
// change while both are there, so the list is kept.

import { Compile } from "typebox/compile";
import { type ComputeService, type Hypervisor, HypervisorSchema, type Provider } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";

const HypervisorItem = Compile(HypervisorSchema);

/** Of the region's nodes. */
export interface KnownNodes {
  /** Of the services and providers that there were. */
  readonly key: string;
  /** When they were read, by performance.now(). */
  readonly at: number;
  readonly nodes: readonly Hypervisor[];
}

/** For what the services and providers do not show. */
const LONGEST_MS = 600_000;
/** So that a page of many hosts is answered in time. */
const PAGE = "200";

/**
 * From 2.88 on Nova also asks each host for its uptime: the list of hundreds takes minutes, and one that has just died
 * stops it for a minute.
 */
const withoutUptime = { "openstack-api-version": "compute 2.74" };

/** Those of these services. Throws as Client.call. */
export async function readNodes(
  cloud: Cloud,
  region: Region,
  services: readonly ComputeService[],
  providers: readonly Provider[],
  signal: AbortSignal,
): Promise<readonly Hypervisor[]> {
  const hosts = services.map(({ host }) => host).sort();
  const roots = providers
    .flatMap(({ uuid, root_provider_uuid: root }) => ((root ?? uuid) === uuid ? [uuid] : []))
    .sort();
  const key = JSON.stringify([hosts, roots]);
  const known = cloud.nodes.get(region);
  if (known?.key === key && performance.now() - known.at <= LONGEST_MS) return known.nodes;
  const there = new Set(hosts);
  const nodes = (await readHypervisors(cloud, region, signal)).filter(({ service }) => there.has(service.host));
  cloud.nodes.set(region, { key, at: performance.now(), nodes });
  return nodes;
}

/** All of the cloud. Throws as Client.call. */
export async function readHypervisors(
  { client }: Cloud,
  { place }: Region,
  signal: AbortSignal,
): Promise<readonly Hypervisor[]> {
  const path = "/os-hypervisors/detail";
  const request = { query: { limit: PAGE }, headers: withoutUptime };
  return (await client.readDated(place.compute, path, "hypervisors", HypervisorItem, signal, request)).items;
}
