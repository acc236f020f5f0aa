// Validates how a libvirt host is reached. Only options that are known to be harmless are allowed: a URI can run a
// program here (`command`) and on the host (`netcat`), disable verification (`no_verify`), or name another hypervisor
// (`name`), and unknown parts end up in a command for the host's shell. Invariant: no error repeats the URI, because it
// can contain a password. Used by engines/libvirt/settings/settings.ts.

import { BlockList, isIP } from "node:net";
import { ConfigError } from "../../../settings/error.ts";

export interface LibvirtUri {
  /** As configured; for ssh with no_tty=1, so that ssh fails instead of prompting. */
  readonly uri: string;
  /** Equal for two URIs of the same daemon, as far as their text shows. Not for display. */
  readonly daemon: string;
}

/** `name`: the setting. Throws ConfigError. */
export function resolveUri(text: string, name: string): LibvirtUri {
  const parts = /^qemu(?:\+(?<transport>ssh|tls|tcp))?:\/\/(?<server>[^/?#]*)\/system(?:\?(?<query>.*))?$/.exec(text);
  const transport = transportOf(parts?.groups?.transport);
  const server = serverOf(parts?.groups?.server ?? "", transport);
  if (parts === null || server === undefined) throw new ConfigError(`${name} must be ${transports}.`);
  if (transport === "tcp" && !isNear(server.host)) {
    throw new ConfigError(
      `${name} must not be qemu+tcp:// except to a loopback or private IP address: it has no ` +
        "authentication and no encryption. Use qemu+ssh:// or qemu+tls://.",
    );
  }
  const parameters = parametersOf(parts.groups?.query, transport, name);
  const asks = transport === "ssh" && !parameters.has("no_tty");
  return {
    uri: asks ? `${text}${parts.groups?.query === undefined ? "?" : "&"}no_tty=1` : text,
    daemon: JSON.stringify([server.host, server.port, parameters.get("socket")]),
  };
}

type Transport = "local" | "ssh" | "tls" | "tcp";

const transports =
  "qemu:///system for this machine, or qemu+ssh://user@host/system, qemu+tls://host/system or qemu+tcp://address/system, " +
  "each with :port if it is not the default, and without a password; a user only for ssh";

const ports: Readonly<Record<Transport, string>> = { local: "", ssh: "22", tls: "16514", tcp: "16509" };

/**
 * The rule for paths: no character with a meaning in a URI or in the host's shell. ";" would have one, like "&":
 * libvirt 9.0 reads `keyfile=/a;no_verify=1` as two parameters.
 */
const path = { pattern: /^\/[\w.@+/-]{1,255}$/, description: 'an absolute path of letters, digits and "._@+/-"' };
const oneOf = (...values: string[]) => ({
  pattern: new RegExp(`^(${values.join("|")})$`),
  description: values.join(" or "),
});

/**
 * The allowed parameters after the "?". Documented by libvirt but not allowed, besides those at the top of this file:
 * known_hosts, known_hosts_verify and sshauth (qemu+ssh:// ignores them, so operators would rely on a check that does
 * not happen; use ~/.ssh/config instead), no_sanity and tls_priority (both can weaken TLS).
 */
const allowed: Readonly<Record<Transport, Readonly<Record<string, { pattern: RegExp; description: string }>>>> = {
  local: { socket: path, mode: oneOf("auto", "direct", "legacy") },
  ssh: {
    keyfile: path,
    socket: path,
    no_tty: oneOf("1"),
    proxy: oneOf("auto", "native", "netcat"),
    mode: oneOf("auto", "direct", "legacy"),
  },
  tls: { pkipath: path, authfile: path },
  tcp: { authfile: path },
};

function transportOf(text: string | undefined): Transport {
  return text === "ssh" || text === "tls" || text === "tcp" ? text : "local";
}

/** Undefined if invalid. The default port is "", like a missing one. */
function serverOf(text: string, transport: Transport): { readonly host: string; readonly port: string } | undefined {
  if (transport === "local") return text === "" ? { host: "", port: "" } : undefined;
  const parts = /^(?:(?<user>\w[\w.-]{0,63})@)?(?<host>\[[^\]]+\]|[^@:[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (parts === undefined || (parts.user !== undefined && transport !== "ssh")) return undefined;
  const host = hostOf(parts.host ?? "");
  const port = parts.port === undefined ? ports[transport] : String(Number(parts.port));
  if (host === undefined || port === "0" || Number(port) > 65_535) return undefined;
  return { host, port: port === ports[transport] ? "" : port };
}

/** A host's name or address in normal form, without brackets; undefined if invalid. */
function hostOf(text: string): string | undefined {
  if (text.startsWith("[")) {
    const address = text.slice(1, -1);
    // Neither URLs nor libvirt's URIs allow a zone (fe80::1%eth0).
    return isIP(address) === 6 && !address.includes("%") ? new URL(`http://${text}`).hostname.slice(1, -1) : undefined;
  }
  const labels = text.replace(/\.$/, "").toLowerCase().split(".");
  // Host names have no underscore, but aliases in ~/.ssh/config can.
  return labels.every((label) => /^\w([\w-]{0,61}\w)?$/.test(label)) ? labels.join(".") : undefined;
}

/** Addresses only: a name can resolve to anything. */
function isNear(host: string): boolean {
  const kind = isIP(host);
  return kind !== 0 && near.check(host, kind === 6 ? "ipv6" : "ipv4");
}

const near = new BlockList();
near.addSubnet("127.0.0.0", 8, "ipv4");
near.addSubnet("10.0.0.0", 8, "ipv4");
near.addSubnet("172.16.0.0", 12, "ipv4");
near.addSubnet("192.168.0.0", 16, "ipv4");
near.addAddress("::1", "ipv6");
near.addSubnet("fc00::", 7, "ipv6");

function parametersOf(query: string | undefined, transport: Transport, name: string): ReadonlyMap<string, string> {
  const rules = allowed[transport];
  const found = new Map<string, string>();
  for (const pair of query?.split("&") ?? []) {
    const [key = "", value = ""] = pair.split(/=(.*)/s);
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined || found.has(key)) {
      const scheme = transport === "local" ? "qemu://" : `qemu+${transport}://`;
      throw new ConfigError(
        `${name} can have after the "?" only, each at most once: ${Object.keys(rules).join(", ")} (for ${scheme}).`,
      );
    }
    if (!rule.pattern.test(value)) throw new ConfigError(`${name} must have, as its ${key}, ${rule.description}.`);
    found.set(key, value);
  }
  return found;
}
