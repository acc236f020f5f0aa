// An entry of clouds.yaml, the file that OpenStack's own clients use, merged with secure.yaml beside it. Invariant: no
// error repeats a value of these files. Used by settings.ts.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ConfigError } from "../../../settings/error.ts";
import { type Called, settingName } from "../../../settings/setting-path.ts";
import { parseYaml } from "../../../settings/yaml.ts";
import { readable } from "../../settings/readable-file.ts";

/** An entry of clouds.yaml. SECRET: never log it. */
export interface CloudAccess {
  /** Ends in /v3, without a trailing slash. */
  readonly authUrl: string;
  readonly credential:
    | { readonly kind: "application"; readonly id: string; readonly secret: string }
    | { readonly kind: "application-name"; readonly name: string; readonly secret: string; readonly user: CloudUser }
    | {
        readonly kind: "password";
        readonly user: CloudUser;
        readonly password: string;
        readonly project: CloudProject;
      };
  readonly region: string | undefined;
  readonly interface: "public" | "internal" | "admin";
  /** The PEM file of the CA, an absolute path; undefined: the CAs of the operating system. */
  readonly ca: string | undefined;
  /** PEM files of our certificate, absolute paths. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

export type CloudUser = InDomain;
export type CloudProject = InDomain;

type Reference = { readonly id: string } | { readonly name: string };
type InDomain = { readonly id: string } | { readonly name: string; readonly domain: Reference };

type YamlMap = Readonly<Record<string, unknown>>;

/** Reads a text of the entry; undefined: not set. */
type Read = (...path: string[]) => string | undefined;

/** The entry `cloud` of the file at `path`, which is absolute. Throws ConfigError. */
export function readCloud(path: string, cloud: string, called: Called): CloudAccess {
  const clouds = cloudsIn(readable(path, called("clouds_file")), called("clouds_file"));
  const entry = Object.hasOwn(clouds, cloud) ? clouds[cloud] : undefined;
  if (!isMap(entry)) throw new ConfigError(`${called("cloud")} must be the name of an entry in clouds_file.`);
  const secure = cloudsIn(resolve(dirname(path), "secure.yaml"), "secure.yaml", true)[cloud];
  return resolveAccess(merged(entry, secure), dirname(path), (problem, ...keys) => {
    throw new ConfigError(`${called("cloud")} names an entry of clouds_file in which ${settingName(keys)} ${problem}.`);
  });
}

type Refuse = (problem: string, ...keys: string[]) => never;

function resolveAccess(entry: YamlMap, directory: string, refuse: Refuse): CloudAccess {
  const read: Read = (...path) => {
    const value = path.reduce<unknown>((map, key) => (isMap(map) ? map[key] : undefined), entry) ?? undefined;
    return value === undefined || typeof value === "string" ? value : refuse("must be text, in quotes", ...path);
  };
  if (entry.verify === false || entry.insecure === true) {
    refuse("turns off the verification of certificates: name the file of the CA in cacert instead", "verify");
  }
  const file = (key: string) => {
    const named = read(key);
    return named === undefined ? undefined : readable(resolve(directory, named), `${key} in the entry of clouds_file`);
  };
  const [cert, key] = [file("cert"), file("key")];
  if ((cert === undefined) !== (key === undefined)) refuse("must be set together with key", "cert");
  const named = (read("interface") ?? "public").replace(/URL$/, "");
  return {
    authUrl: authUrlOf(read("auth", "auth_url"), refuse),
    credential: credentialOf(read, refuse),
    region: read("region_name"),
    interface:
      (["public", "internal", "admin"] as const).find((one) => one === named) ??
      refuse("must be public, internal or admin", "interface"),
    ca: file("cacert"),
    certificate: cert === undefined || key === undefined ? undefined : { cert, key },
  };
}

function authUrlOf(text: string | undefined, refuse: Refuse): string {
  const path = text?.replace(/\/+$/, "") ?? "";
  if (!/^https?:\/\/[^\s?#@\\]+$/i.test(path) || !URL.canParse(path) || /\/v2[^/]*$/.test(path)) {
    return refuse(
      "must be the URL of Keystone's version 3, such as https://cloud.example.com:5000/v3",
      "auth",
      "auth_url",
    );
  }
  return path.endsWith("/v3") ? path : `${path}/v3`;
}

function credentialOf(read: Read, refuse: Refuse): CloudAccess["credential"] {
  const auth = (key: string) => read("auth", key);
  const needed = (key: string) => auth(key) || refuse("is required", "auth", key);
  const [id, name] = [auth("application_credential_id"), auth("application_credential_name")];
  const type = read("auth_type") ?? (id === undefined && name === undefined ? "password" : "v3applicationcredential");
  if (type === "password" || type === "v3password") {
    const user = inDomain(auth, "user", "username", refuse);
    return {
      kind: "password",
      user,
      password: needed("password"),
      project: inDomain(auth, "project", "project_name", refuse),
    };
  }
  if (type !== "v3applicationcredential") {
    return refuse("must be v3applicationcredential, v3password or password", "auth_type");
  }
  const secret = needed("application_credential_secret");
  if (id !== undefined) return { kind: "application", id, secret };
  if (name === undefined) return refuse("is required", "auth", "application_credential_id");
  return { kind: "application-name", name, secret, user: inDomain(auth, "user", "username", refuse) };
}

function inDomain(
  auth: (key: string) => string | undefined,
  what: "user" | "project",
  named: string,
  refuse: Refuse,
): InDomain {
  const id = auth(`${what}_id`);
  if (id !== undefined) return { id };
  const name = auth(named) ?? refuse(`or ${what}_id is required`, "auth", named);
  const [domainId, domainName] = [auth(`${what}_domain_id`), auth(`${what}_domain_name`)];
  if (domainId !== undefined) return { name, domain: { id: domainId } };
  if (domainName !== undefined) return { name, domain: { name: domainName } };
  return refuse(`or ${what}_domain_id is required with ${named}`, "auth", `${what}_domain_name`);
}

/** `clouds` of the file; empty where it is missing and may be. `name` is for messages. */
function cloudsIn(path: string, name: string, mayBeMissing = false): YamlMap {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    if (mayBeMissing && code === "ENOENT") return {};
    throw new ConfigError(`${name} cannot be read (${code}).`);
  }
  const parsed = parseYaml(text, name);
  const clouds = isMap(parsed) ? parsed.clouds : undefined;
  if (isMap(clouds)) return clouds;
  throw new ConfigError(`${name} must have a map "clouds".`);
}

/** `over` takes precedence, key by key at any depth. */
function merged(under: YamlMap, over: unknown): YamlMap {
  if (!isMap(over)) return under;
  const both = Object.entries(over).map(([key, value]) => {
    const other = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isMap(value) && isMap(other) ? merged(other, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

function isMap(value: unknown): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
