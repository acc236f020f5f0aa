// Where each interface is served: turns the `interfaces` of lessor.yaml into listeners with mounts.
// Source: decisions, "Where the variants live". Invariant: no two mounts of a listener have the same host name and
// prefix, so every request belongs to at most one interface. Used by config.ts; the HTTP server opens the listeners.
//
// Terms. A listener is one open port. A mount is one interface at one prefix of a listener, for one host name or for
// all.

import { ConfigError } from "../settings/error.ts";
import type { FileSettings } from "./file-schema.ts";
import { parseHostName, parsePrefix } from "./values.ts";

export const interfaceNames = ["marketplace", "direct", "reference", "lambda", "control"] as const;
export type InterfaceName = (typeof interfaceNames)[number];

export interface Mount {
  readonly interface: InterfaceName;
  /** "" for the root, or a path such as "/api/v1", without a slash at its end. */
  readonly prefix: string;
  /** Only requests for this host, in lower case; undefined: for any host that no other mount names. */
  readonly hostName: string | undefined;
}

export interface Listener {
  /** "main", "reference", or the first interface that asked for a port of its own. For logs; unique. */
  readonly name: string;
  /** 0 takes any free port. Two listeners may both have 0, and get different ports. */
  readonly port: number;
  /** May be empty on "main", which also serves the console, documentation and health. */
  readonly mounts: readonly Mount[];
}

type ListenerName = "main" | "reference";

/** The default place of each interface. Settings change the first place. */
const defaultPlaces: Record<InterfaceName, readonly { listener: ListenerName; prefix: string }[]> = {
  marketplace: [{ listener: "main", prefix: "/api/vm_marketplace" }],
  direct: [{ listener: "main", prefix: "/api/v1" }],
  reference: [
    { listener: "reference", prefix: "" },
    { listener: "main", prefix: "/reference" },
  ],
  lambda: [{ listener: "reference", prefix: "/api/v1" }],
  control: [{ listener: "main", prefix: "/control/v1" }],
};

export interface PortSetting {
  readonly port: number;
  /** As in the configuration, for messages. */
  readonly name: string;
}

/**
 * The listeners to open, "main" first. An interface with its own prefix, host name or port is served there and nowhere
 * else; parts that are not set stay as in its first default place. Throws ConfigError for places that collide.
 */
export function resolveListeners(
  settings: FileSettings["interfaces"],
  fileName: string,
  ports: Record<ListenerName, PortSetting>,
): Listener[] {
  const main: OpenListener = { name: "main", port: ports.main.port, mounts: [] };
  const reference: OpenListener = { name: "reference", port: ports.reference.port, mounts: [] };
  const listeners = [main, reference];

  for (const name of interfaceNames) {
    const setting = settings?.[name] ?? {};
    if (setting.enabled === false) continue;
    const [first, ...others] = defaultPlaces[name];
    if (first === undefined) throw new Error(`BUG: interface ${name} has no default place`);
    const called = (key: string) => `interfaces.${name}.${key} in ${fileName}`;
    const moved = setting.prefix !== undefined || setting.host_name !== undefined || setting.port !== undefined;

    for (const place of moved ? [first] : [first, ...others]) {
      const byDefault = place.listener === "main" ? main : reference;
      const listener = setting.port === undefined ? byDefault : listenerOn(setting.port, name, listeners);
      listener.mounts.push({
        interface: name,
        prefix: setting.prefix === undefined ? place.prefix : parsePrefix(setting.prefix, called("prefix")),
        hostName: setting.host_name === undefined ? undefined : parseHostName(setting.host_name, called("host_name")),
      });
    }
  }

  const used = listeners.filter((listener) => listener === main || listener.mounts.length > 0);
  if (used.includes(reference)) refuseSharedPort(ports);
  used.forEach(refuseCollision);
  return used;
}

interface OpenListener extends Listener {
  readonly mounts: Mount[];
}

/** The listener that already has this port, or a new one. Port 0 is a new one each time. */
function listenerOn(port: number, name: InterfaceName, listeners: OpenListener[]): OpenListener {
  const known = listeners.find((listener) => port !== 0 && listener.port === port);
  if (known !== undefined) return known;
  const taken = listeners.some((listener) => listener.name === name);
  const fresh: OpenListener = { name: taken ? `${name}-own` : name, port, mounts: [] };
  listeners.push(fresh);
  return fresh;
}

function refuseSharedPort({ main, reference }: Record<ListenerName, PortSetting>): void {
  if (main.port === 0 || main.port !== reference.port) return;
  throw new ConfigError(
    `${main.name} and ${reference.name} must be different ports (both are ${main.port}): the reference interface has the ` +
      "root of its own port, and its lambda edition is there too. To serve them on the main port only, set " +
      `interfaces.reference in lessor.yaml to { port: ${main.port}, prefix: /reference } and interfaces.lambda to ` +
      `{ port: ${main.port}, prefix: /lambda }; to disable one of them, to { enabled: false }.`,
  );
}

function refuseCollision(listener: Listener): void {
  const seen = new Map<string, InterfaceName>();
  for (const mount of listener.mounts) {
    const place = JSON.stringify([mount.hostName, mount.prefix]);
    const other = seen.get(place);
    if (other !== undefined) {
      throw new ConfigError(
        `interfaces.${other} and interfaces.${mount.interface} are at the same prefix of the same port. ` +
          "Give one of them another prefix, host_name or port, or set enabled: false.",
      );
    }
    seen.set(place, mount.interface);
  }
}
