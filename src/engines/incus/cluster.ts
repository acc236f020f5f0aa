// The cluster as the other files of this engine hold it: the way there, how it is set, and whose machines are ours.

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
import { Client } from "./client/client.ts";
import type { IncusSettings } from "./settings/settings.ts";

export interface Cluster {
  readonly client: Client;
  readonly settings: IncusSettings;
  /** The mark of this installation (marks.ts). */
  readonly installation: string;
  /** What changes only when an operator changes the cluster: read once, and again with each inventory. */
  readonly layout: Layout;
}

interface Layout {
  clustered: boolean | undefined;
  /** Of the server that answered; where there is no cluster, the name of the one there is. */
  serverName: string | undefined;
  /** Whether the network of the settings gives IPv6 addresses. */
  ipv6: boolean | undefined;
  networkType: string | undefined;
  /** The network's own addresses, in CIDR notation; none as long as nobody has looked, or where they are not shown. */
  routers: readonly string[];
  /** Of the API, of the server that answered. */
  extensions: ReadonlySet<string> | undefined;
}

/**
 * `installation`: of the service. The mark names the engine too, for two engines may be on one cluster (containers and
 * virtual machines). Throws what reading the certificate files throws. Connects to nothing yet.
 */
export function openCluster(settings: IncusSettings, installation: string): Cluster {
  const layout = {
    clustered: undefined,
    serverName: undefined,
    ipv6: undefined,
    networkType: undefined,
    routers: [],
    extensions: undefined,
  };
  return { client: new Client(settings), settings, installation: `${installation}/${settings.name}`, layout };
}

/** Throws as Client.call. */
export async function readServer({ client, layout }: Cluster, signal: AbortSignal): Promise<ServerInfo> {
  const server = await client.read("/1.0", ServerAnswer, signal);
  layout.clustered = server.environment.server_clustered;
  layout.serverName = server.environment.server_name;
  layout.extensions = new Set(server.api_extensions);
  return server;
}

/** Reads what kind of network the machines are on; nothing where a profile says it. Throws as Client.call. */
export async function readNetwork({ client, settings, layout }: Cluster, signal: AbortSignal): Promise<void> {
  if (settings.nic.kind !== "network") return;
  const path = `/1.0/networks/${encodeURIComponent(settings.nic.network)}`;
  const { type, config } = await client.read(path, NetworkAnswer, signal);
  layout.networkType = type;
  const addresses = await readNetworkState(client, path, signal);
  layout.ipv6 = givesIpv6(config, addresses);
  layout.routers = routersIn(config, addresses);
}

/** The bridge's own addresses; none where the member that was asked has none of it. */
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

/** A client whose certificate is restricted to a project is shown an empty configuration; the addresses it does see. */
function givesIpv6(config: Readonly<Record<string, string>>, addresses: readonly NetworkAddress[]): boolean {
  if ((config["ipv6.address"] ?? "none") !== "none") return true;
  return addresses.some(({ family, scope }) => family === "inet6" && scope === "global");
}

/**
 * The query that sends a request to this member. A server that is no cluster knows no such thing, and would do for any
 * member's name what is asked: so the name is compared here. Throws as Client.call, EngineError.
 */
export async function targetOf(cluster: Cluster, member: string, signal: AbortSignal): Promise<{ target?: string }> {
  const { layout } = cluster;
  if (layout.clustered === undefined) await readServer(cluster, signal);
  if (layout.clustered === true) return { target: member };
  if (layout.serverName === member) return {};
  throw new EngineError("refused", "no-such-host", "There is no such host.");
}

/** The instance with the name of the member that it is on. A server that is no cluster says "none", or nothing. */
export async function placed<I extends ApiInstance>(cluster: Cluster, instance: I, signal: AbortSignal): Promise<I> {
  const { location } = instance;
  if (location !== undefined && location !== "" && location !== "none") return instance;
  if (cluster.layout.serverName === undefined) await readServer(cluster, signal);
  return { ...instance, location: cluster.layout.serverName ?? "" };
}

export function hostName({ settings }: Cluster, member: string): string {
  return `${settings.hostPrefix}${member}`;
}

/** The member that a host is, or undefined where the host is none of this cluster's. */
export function memberName({ settings }: Cluster, host: string): string | undefined {
  return host.startsWith(settings.hostPrefix) ? host.slice(settings.hostPrefix.length) : undefined;
}
