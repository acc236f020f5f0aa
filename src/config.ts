// How this service is set: from environment variables and an optional lessor.yaml, where the environment wins.
// Everything is read, checked and typed here, once, at start; no other file reads process.env or lessor.yaml.
// Invariant: no error message repeats a value, because a value may be a secret (token, key, database password).
// docs/operating.md lists the settings. Used by main.ts; server.ts hands each room its part.

import { resolve } from "node:path";
import { ConfigError } from "./config/error.ts";
import { readConfigFile } from "./config/file.ts";
import type { FileSettings } from "./config/file-schema.ts";
import { type IncusClusterSettings, resolveIncusClusters } from "./config/incus.ts";
import { type Listener, resolveListeners } from "./config/interfaces.ts";
import {
  type LogLevel,
  type Parser,
  parseBindHost,
  parseDatabaseUrl,
  parseEncryptionKeys,
  parseJupyterUrlTemplate,
  parseLogLevel,
  parseOperatorToken,
  parsePath,
  parsePort,
  parseSwitch,
} from "./config/values.ts";

export { ConfigError } from "./config/error.ts";
export { type IncusClusterSettings, sshProbePlaceholders } from "./config/incus.ts";
export type { IncusEndpoint, IncusTls } from "./config/incus-connection.ts";
export type { IncusImageSource } from "./config/incus-image.ts";
export { type InterfaceName, interfaceNames, type Listener, type Mount } from "./config/interfaces.ts";
export { jupyterPlaceholders, type LogLevel, logLevels } from "./config/values.ts";

export interface Config {
  /** The address every listener binds to. LESSOR_HOST, 127.0.0.1. */
  readonly host: string;
  /** The main port; 0 takes any free one. LESSOR_PORT, 8080. */
  readonly port: number;
  /** The port of the reference interface; 0 takes any free one. LESSOR_REFERENCE_PORT, 8081. */
  readonly referencePort: number;
  /** The ports to open, and which interface is where on them; the first is the main one. */
  readonly listeners: readonly Listener[];
  /** Absolute path; undefined: the server decides. LESSOR_DATA_DIR. */
  readonly dataDir: string | undefined;
  /** SECRET (may hold a password). Undefined: the embedded server. DATABASE_URL. */
  readonly databaseUrl: string | undefined;
  /** SECRET. A token that is always valid, with the operator scope. LESSOR_OPERATOR_TOKEN. */
  readonly operatorToken: string | undefined;
  /** Whether a fresh database is filled with a catalogue and simulated hosts to try things with. LESSOR_DEMO, on. */
  readonly demo: boolean;
  /** SECRET. 32 bytes each; the first seals, all open. Undefined: the key file decides. LESSOR_ENCRYPTION_KEY. */
  readonly encryptionKeys: readonly Buffer[] | undefined;
  /** LESSOR_LOG_LEVEL, info. */
  readonly logLevel: LogLevel;
  readonly limits: Limits;
  readonly defaults: { readonly quotas: Quotas };
  readonly simulated: SimulatedSettings;
  readonly fulfilment: FulfilmentSettings;
  /** A URL with jupyterPlaceholders in braces; undefined: instances have no Jupyter URL. */
  readonly jupyterUrlTemplate: string | undefined;
  /** The clusters to rent machines of, each an engine of its own; none by default. */
  readonly incus: readonly IncusClusterSettings[];
}

export interface Limits {
  /** The largest quantity of one launch. 64. */
  readonly maxQuantity: number;
  /** 60000. */
  readonly requestsPerMinutePerToken: number;
  /** How long a terminated instance stays on the lists of M and R. 3600. */
  readonly terminatedVisibleSeconds: number;
  /** How long a single read finds a terminated instance. 30. */
  readonly terminatedReadableDays: number;
  /** The largest request body. 1 MiB. */
  readonly bodyBytes: number;
}

/** What a new account may hold at once, unless its creator says otherwise. */
export interface Quotas {
  /** 1000. */
  readonly instances: number;
  /** 1000. */
  readonly gpus: number;
  /** 20000. */
  readonly vcpus: number;
  /** 100. */
  readonly sshKeys: number;
  /** 100. */
  readonly fileSystems: number;
}

export interface SimulatedSettings {
  /** Least and most seconds a simulated boot takes. 2 to 6. */
  readonly bootSeconds: readonly [least: number, most: number];
  /** Least and most seconds a simulated halt takes. 0.5 to 1.5. */
  readonly stopSeconds: readonly [least: number, most: number];
  /** Makes the simulated world repeatable; undefined: random. */
  readonly seed: number | undefined;
}

export interface FulfilmentSettings {
  /** How many instances one server works on at once. 64. */
  readonly concurrency: number;
  /** How long a worker that fell silent keeps an instance. 5. */
  readonly leaseSeconds: number;
  /** How long a boot may take before it has failed. 600. */
  readonly bootDeadlineSeconds: number;
}

/**
 * The whole configuration. `cwd` is where ./lessor.yaml and relative paths are looked for.
 * Throws ConfigError, whose message names the setting and says what is allowed.
 */
export function loadConfig({ env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd: string }): Config {
  const file = readConfigFile(env.LESSOR_CONFIG || undefined, cwd);
  const { settings } = file;

  /** A setting from the environment, or else from the file. An empty environment variable counts as not set. */
  function find<T>(variable: string, key: keyof FileSettings, parse: Parser<T>) {
    const fromEnvironment = env[variable];
    const inFile = settings[key];
    if (fromEnvironment) return { value: parse(fromEnvironment, variable), name: variable, base: cwd };
    if (inFile === undefined) return { value: undefined, name: variable, base: cwd };
    const name = `${key} in ${file.name}`;
    return { value: parse(asText(inFile), name), name, base: file.directory };
  }

  const port = find("LESSOR_PORT", "port", parsePort);
  const referencePort = find("LESSOR_REFERENCE_PORT", "reference_port", parsePort);
  const dataDir = find("LESSOR_DATA_DIR", "data_dir", parsePath);
  const ports = {
    main: { port: port.value ?? 8080, name: port.name },
    reference: { port: referencePort.value ?? 8081, name: referencePort.name },
  };

  return {
    host: find("LESSOR_HOST", "host", parseBindHost).value ?? "127.0.0.1",
    port: ports.main.port,
    referencePort: ports.reference.port,
    listeners: resolveListeners(settings.interfaces, file.name, ports),
    dataDir: dataDir.value === undefined ? undefined : resolve(dataDir.base, dataDir.value),
    databaseUrl: find("DATABASE_URL", "database_url", parseDatabaseUrl).value,
    operatorToken: find("LESSOR_OPERATOR_TOKEN", "operator_token", parseOperatorToken).value,
    demo: find("LESSOR_DEMO", "demo", parseSwitch).value ?? true,
    encryptionKeys: find("LESSOR_ENCRYPTION_KEY", "encryption_key", parseEncryptionKeys).value,
    logLevel: find("LESSOR_LOG_LEVEL", "log_level", parseLogLevel).value ?? "info",
    limits: resolveLimits(settings.limits, file.name),
    defaults: { quotas: resolveQuotas(settings.defaults?.quotas) },
    simulated: {
      bootSeconds: resolveRange(settings.simulated?.boot_seconds ?? [2, 6], `simulated.boot_seconds in ${file.name}`),
      stopSeconds: resolveRange(
        settings.simulated?.stop_seconds ?? [0.5, 1.5],
        `simulated.stop_seconds in ${file.name}`,
      ),
      seed: settings.simulated?.seed,
    },
    fulfilment: {
      concurrency: settings.fulfilment?.concurrency ?? 64,
      leaseSeconds: settings.fulfilment?.lease_seconds ?? 5,
      bootDeadlineSeconds: settings.fulfilment?.boot_deadline_seconds ?? 600,
    },
    jupyterUrlTemplate:
      settings.jupyter_url_template === undefined
        ? undefined
        : parseJupyterUrlTemplate(settings.jupyter_url_template, `jupyter_url_template in ${file.name}`),
    incus: resolveIncusClusters(settings.incus, file),
  };
}

/** A value of the file as the environment would hold it, so that one parser serves both. */
function asText(value: FileSettings[keyof FileSettings]): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number" || typeof value === "string") return String(value);
  throw new Error("BUG: only plain settings are in the environment too");
}

function resolveLimits(settings: FileSettings["limits"], fileName: string): Limits {
  const limits = {
    maxQuantity: settings?.max_quantity ?? 64,
    requestsPerMinutePerToken: settings?.requests_per_minute_per_token ?? 60_000,
    terminatedVisibleSeconds: settings?.terminated_visible_seconds ?? 3600,
    terminatedReadableDays: settings?.terminated_readable_days ?? 30,
    bodyBytes: settings?.body_bytes ?? 1_048_576,
  };
  if (limits.terminatedVisibleSeconds > limits.terminatedReadableDays * 86_400) {
    throw new ConfigError(
      `limits.terminated_visible_seconds in ${fileName} must be at most limits.terminated_readable_days: ` +
        "what is on a list can also be read.",
    );
  }
  return limits;
}

function resolveQuotas(settings: NonNullable<FileSettings["defaults"]>["quotas"]): Quotas {
  return {
    instances: settings?.instances ?? 1000,
    gpus: settings?.gpus ?? 1000,
    vcpus: settings?.vcpus ?? 20_000,
    sshKeys: settings?.ssh_keys ?? 100,
    fileSystems: settings?.file_systems ?? 100,
  };
}

function resolveRange([least, most]: readonly [number, number], name: string): readonly [number, number] {
  if (least > most) throw new ConfigError(`${name} must be [least, most], with least not above most.`);
  return [least, most];
}
