// The cluster as the other files of this engine use it: client, settings, and ownership label.

import { EngineError } from "../engine.ts";
import {
  type ApiInstance,
  type NetworkAddress,
  NetworkAnswer,
  NetworkStateAnswer,
  ServerAnswer,
  type ServerInfo,
} from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { Client, checked } from "./client/client.ts";
import type { IncusSettings } from "./settings/settings.ts";

export interface Cluster {
  readonly client: Client;
  readonly settings: IncusSettings;
  /** The ownership label of this installation (labels.ts). */
  readonly installation: string;
  /** What changes only when an operator changes the cluster: read once, and again with each host sync. */
  readonly layout: Layout;
}

interface Layout {
  clustered: boolean | undefined;
  /** Of the server that responded; standalone servers have one too. */
  serverName: string | undefined;
  /** Whether the network of the settings gives IPv6 addresses. */
  ipv6: boolean | undefined;
  networkType: string | undefined;
  /** The network's own addresses in CIDR notation; empty while unknown or hidden. */
  routers: readonly string[];
  /** API extensions of the server that responded. */
  extensions: ReadonlySet<string> | undefined;
  /** Of the server that responded, in seconds: how far its clock is ahead of this one's. */
  clockSkew: number | undefined;
}

/**
 * `installation`: of the service. The label includes the engine's name, because one cluster can have two engines
 * (containers and virtual machines). Throws what reading the certificate files throws. Does not connect yet.
 */
export function openCluster(settings: IncusSettings, installation: string): Cluster {
  const layout = {
    clustered: undefined,
    serverName: undefined,
    ipv6: undefined,
    networkType: undefined,
    routers: [],
    extensions: undefined,
    clockSkew: undefined,
  };
  return { client: new Client(settings), settings, installation: `${installation}/${settings.name}`, layout };
}

/** Throws as Client.call. */
export async function readServer({ client, layout }: Cluster, signal: AbortSignal): Promise<ServerInfo> {
  const { metadata, clockSkew } = await client.call("/1.0", {}, signal);
  const server = checked(metadata, ServerAnswer, "/1.0");
  layout.clustered = server.environment.server_clustered;
  layout.serverName = server.environment.server_name;
  layout.extensions = new Set(server.api_extensions);
  layout.clockSkew = clockSkew;
  return server;
}

/** Reads the type of the machines' network; nothing for a profile. Throws as Client.call. */
export async function readNetwork({ client, settings, layout }: Cluster, signal: AbortSignal): Promise<void> {
  if (settings.nic.kind !== "network") return;
  const path = `/1.0/networks/${encodeURIComponent(settings.nic.network)}`;
  const { type, config } = await client.read(path, NetworkAnswer, signal);
  layout.networkType = type;
  const addresses = await readNetworkState(client, path, signal);
  layout.ipv6 = givesIpv6(config, addresses);
  layout.routers = routersIn(config, addresses);
}

/** The bridge's own addresses; empty if the member that responded does not have it. */
async function readNetworkState(client: Client, path: string, signal: AbortSignal): Promise<readonly NetworkAddress[]> {
  const state = await client.read(`${path}/state`, NetworkStateAnswer, signal).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
  return state?.addresses ?? [];
}

/** The same on every member that has the bridge. */
function routersIn(config: Readonly<Record<string, string>>, addresses: readonly NetworkAddress[]): string[] {
  const configured = config["ipv4.address"] ?? "none";
  if (configured.includes("/")) return [configured];
  return addresses.flatMap(({ family, address, netmask, scope }) =>
    family === "inet" && scope === "global" && netmask !== undefined ? [`${address}/${netmask}`] : [],
  );
}

/** A certificate that is restricted to a project sees an empty configuration, but the addresses. */
function givesIpv6(config: Readonly<Record<string, string>>, addresses: readonly NetworkAddress[]): boolean {
  if ((config["ipv6.address"] ?? "none") !== "none") return true;
  return addresses.some(({ family, scope }) => family === "inet6" && scope === "global");
}

/**
 * The query that targets this member. A standalone server ignores the target, so the name is compared here. Throws as
 * Client.call, EngineError.
 */
export async function targetOf(cluster: Cluster, member: string, signal: AbortSignal): Promise<{ target?: string }> {
  const { layout } = cluster;
  if (layout.clustered === undefined) await readServer(cluster, signal);
  if (layout.clustered === true) return { target: member };
  if (layout.serverName === member) return {};
  throw new EngineError("refused", "no-such-host", "The host does not exist.");
}

/** Adds the name of the instance's member. A standalone server reports "none", or nothing. */
export async function placed<I extends ApiInstance>(cluster: Cluster, instance: I, signal: AbortSignal): Promise<I> {
  const { location } = instance;
  if (location !== undefined && location !== "" && location !== "none") return instance;
  if (cluster.layout.serverName === undefined) await readServer(cluster, signal);
  return { ...instance, location: cluster.layout.serverName ?? "" };
}

export function hostName({ settings }: Cluster, member: string): string {
  return `${settings.hostPrefix}${member}`;
}

/** The member of a host; undefined if the host is not of this cluster. */
export function memberName({ settings }: Cluster, host: string): string | undefined {
  return host.startsWith(settings.hostPrefix) ? host.slice(settings.hostPrefix.length) : undefined;
}

export function poolPath({ settings }: Cluster): string {
  return `/1.0/storage-pools/${encodeURIComponent(settings.pool)}`;
}
