// The configuration: environment variables and an optional lessor.yaml; the environment takes precedence.
// Everything is read, validated and typed here, once, at start; no other file reads process.env or lessor.yaml.
// Invariant: no error message repeats a value, because a value may be a secret (token, key, database password).
// docs/reference/settings.md lists the settings. Used by program.ts; server.ts hands each module its part.

import { resolve } from "node:path";
import { resolveBalance, resolveTerms } from "./config/balance.ts";
import { resolveEmail } from "./config/email.ts";
import { type FenceSettings, resolveFencing } from "./config/fencing.ts";
import { readConfigFile } from "./config/file.ts";
import type { FileSettings } from "./config/file-schema.ts";
import { type GpuSettings, resolveGpus } from "./config/gpus.ts";
import { type Listener, resolveListeners } from "./config/interfaces.ts";
import { resolveInvoices } from "./config/invoices.ts";
import { refuseTwoCurrencies, resolvePayments } from "./config/payments.ts";
import { resolveReservationBounds, resolveReservations } from "./config/reservations.ts";
import { withSecretFiles } from "./config/secret-files.ts";
import { resolveSignIn } from "./config/sign-in.ts";
import { resolveTrustedProxies } from "./config/trusted-proxies.ts";
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
import { resolveWebhooks, type WebhookSettings } from "./config/webhooks.ts";
import { type ConfiguredEngine, resolveEngines } from "./engines/kinds.ts";
import type { DowntimeSettings } from "./rules/downtime.ts";
import type { EmailSettings } from "./rules/emails.ts";
import type { InvoiceSettings } from "./rules/invoices.ts";
import type { BalanceSettings, Terms } from "./rules/payment-terms.ts";
import type { PaymentSettings } from "./rules/payments.ts";
import type { ReservationBounds, ReservationSettings } from "./rules/reservations.ts";
import type { SignInSettings } from "./rules/sign-in-providers.ts";
import { type SpotSettings, spotDefaults } from "./rules/spot.ts";
import { type WaitBounds, waitBounds } from "./rules/waiting-launches.ts";
import { ConfigError } from "./settings/error.ts";

/** The variables that hold secrets. program.ts removes them from the environment, so that child processes lack them. */
export const secretVariables = [
  "DATABASE_URL",
  "LESSOR_ENCRYPTION_KEY",
  "LESSOR_OPERATOR_TOKEN",
  "LESSOR_SMTP_PASSWORD",
  "LESSOR_SIGN_IN_SECRETS",
  "LESSOR_STRIPE_SECRET_KEY",
  "LESSOR_STRIPE_WEBHOOK_SECRET",
] as const;

export interface Config {
  /** The address every listener binds to. LESSOR_HOST, 127.0.0.1. */
  readonly host: string;
  /** The main port; 0 takes any free one. LESSOR_PORT, 8080. */
  readonly port: number;
  /** The port of the reference interface; 0 takes any free one. LESSOR_REFERENCE_PORT, 8081. */
  readonly referencePort: number;
  /** The port of metrics without a token; 0 takes any free one; undefined: none. LESSOR_METRICS_PORT. */
  readonly metricsPort: number | undefined;
  /** How long a stopping replica still serves, but not ready, so that load balancers notice. 0. */
  readonly drainDelaySeconds: number;
  /** The ports to open, and the interfaces on each; the first is the main one. */
  readonly listeners: readonly Listener[];
  /** Absolute path; undefined: the default directory. LESSOR_DATA_DIR. */
  readonly dataDir: string | undefined;
  /** SECRET (may hold a password). Undefined: the embedded server. DATABASE_URL. */
  readonly databaseUrl: string | undefined;
  /** SECRET. A token that is always valid, with the operator scope. LESSOR_OPERATOR_TOKEN. */
  readonly operatorToken: string | undefined;
  /** Whether a new database is filled with a demo catalog and simulated hosts. LESSOR_DEMO, on without real engines. */
  readonly demo: boolean;
  /** SECRET. 32 bytes each; the first encrypts, all decrypt. Undefined: the key file is used. LESSOR_ENCRYPTION_KEY. */
  readonly encryptionKeys: readonly Buffer[] | undefined;
  /** LESSOR_LOG_LEVEL, info. */
  readonly logLevel: LogLevel;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies: readonly string[];
  readonly limits: Limits;
  readonly defaults: AccountDefaults & {
    /** The default size of a file system for creators that cannot set one, in GB (the lambda edition). 1000. */
    readonly fileSystemGb: number;
  };
  readonly reconciler: ReconcilerConfig;
  /** Of accounts that pay before or up to a credit line. 3600 seconds, `stop`, 0 and 86400 seconds. */
  readonly balance: BalanceSettings;
  /** What hosts need between two customers, and what follows from missing capacity. `credit`, 900 and 900 seconds. */
  readonly reservations: ReservationSettings;
  readonly webhooks: WebhookSettings;
  /** SECRET (may hold a password). Undefined, the default: no emails. */
  readonly email: EmailSettings | undefined;
  /** SECRET (holds client secrets). Undefined, the default: no OpenID Connect. */
  readonly signIn: SignInSettings | undefined;
  /** Undefined, the default: no invoices. */
  readonly invoices: InvoiceSettings | undefined;
  /** SECRET (holds keys). Undefined, the default: operators record what arrived. */
  readonly payments: PaymentSettings | undefined;
  /** The commands that turn hosts off; none by default. */
  readonly fencing: readonly FenceSettings[];
  readonly gpus: GpuSettings;
  /** A URL with jupyterPlaceholders in braces; undefined: instances have no Jupyter URL. */
  readonly jupyterUrlTemplate: string | undefined;
  readonly lambda: LambdaSettings;
  /** The engines. By default only the simulated engine, which is always there. */
  readonly engines: readonly ConfiguredEngine[];
}

/** Settings of the lambda edition only. */
export interface LambdaSettings {
  /** Whether a restart reboots an active instance. On: its clients expect that. */
  readonly restartReboots: boolean;
  /** How long an instance stays on its list after a request to terminate it, in seconds. 0: clients act on the list. */
  readonly terminatedVisibleSeconds: number;
}

export interface Limits {
  /** The largest quantity of one launch. 64. */
  readonly maxQuantity: number;
  /** 60000. */
  readonly requestsPerMinutePerToken: number;
  /** Of all tokens together, and without one. An IPv6 /64 counts as one. 120000. */
  readonly requestsPerMinutePerAddress: number;
  /** Requests without a valid token; beyond it an address is rejected without proof of a valid one. 60. */
  readonly failedAuthenticationsPerMinutePerAddress: number;
  /** How many requests are handled at once; more are rejected. 1000. */
  readonly requestsUnderWay: number;
  /** How many client connections are open at once; beyond it others are closed, or new ones rejected. 10000. */
  readonly connections: number;
  /** The same for one address, except trusted proxies. An IPv6 /64 counts as one. 1000. */
  readonly connectionsPerAddress: number;
  /** How long the audit log is kept. 400. */
  readonly auditDays: number;
  /** How long events are kept. 90. */
  readonly eventDays: number;
  /** How long a terminated instance stays on the lists of M and R. 3600. */
  readonly terminatedVisibleSeconds: number;
  /** How long a terminated instance can be read by id; then it is deleted. 30. */
  readonly terminatedReadableDays: number;
  /** The largest request body. 1 MiB. */
  readonly bodyBytes: number;
  /** Of launches that wait. 30 days and 1000. */
  readonly waiting: WaitBounds;
  /** Of spot instances. 120 seconds. */
  readonly spot: SpotSettings;
  /** Of reservations. 90 days ahead and long, an hour at least, 100. */
  readonly reservations: ReservationBounds;
}

/** The defaults of a new account. */
export interface AccountDefaults {
  readonly quotas: Quotas;
  /** Per month. Undefined, the default: none. Not for the accounts of the first start, like the lifetime. */
  readonly spendLimitCents: number | undefined;
  /** Default and maximum lifetime of its instances. Undefined, the default: none. */
  readonly maxLifetimeSeconds: number | undefined;
  /** How it pays: postpaid without a credit line. Not for the accounts of the first start either. */
  readonly terms: Terms;
}

/** Quotas of an account. */
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

export interface ReconcilerConfig {
  /** Whether time is billed while hosts are unreachable. `pause`, 300 seconds. */
  readonly downtime: DowntimeSettings;
  /** How many instances one replica works on at once. 64. */
  readonly concurrency: number;
  /** How long a silent worker keeps its lease on an instance. 5. */
  readonly leaseSeconds: number;
  /** The timeout of a boot. 600. */
  readonly bootDeadlineSeconds: number;
  /** 30. */
  readonly limitCheckSeconds: number;
}

/**
 * The whole configuration. `cwd` is the base of ./lessor.yaml and relative paths.
 * Throws ConfigError, whose message names the setting and says what is allowed.
 */
export function loadConfig(from: { env: Readonly<Record<string, string | undefined>>; cwd: string }): Config {
  const { cwd } = from;
  const env = withSecretFiles(from.env, secretVariables, cwd);
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
  const limits = resolveLimits(settings.limits, file.name);
  const engines = resolveEngines(settings, file);
  refuseTwoCurrencies(settings.payments?.currency, settings.invoices?.currency, file.name);

  return {
    host: find("LESSOR_HOST", "host", parseBindHost).value ?? "127.0.0.1",
    port: ports.main.port,
    referencePort: ports.reference.port,
    metricsPort: find("LESSOR_METRICS_PORT", "metrics_port", parsePort).value,
    drainDelaySeconds: settings.drain_delay_seconds ?? 0,
    listeners: resolveListeners(settings.interfaces, file.name, ports),
    dataDir: dataDir.value === undefined ? undefined : resolve(dataDir.base, dataDir.value),
    databaseUrl: find("DATABASE_URL", "database_url", parseDatabaseUrl).value,
    operatorToken: find("LESSOR_OPERATOR_TOKEN", "operator_token", parseOperatorToken).value,
    // Beside real hosts, its customer and its simulated instance types would be offered too.
    demo: find("LESSOR_DEMO", "demo", parseSwitch).value ?? engines.every(({ kind }) => kind === "simulated"),
    encryptionKeys: find("LESSOR_ENCRYPTION_KEY", "encryption_key", parseEncryptionKeys).value,
    logLevel: find("LESSOR_LOG_LEVEL", "log_level", parseLogLevel).value ?? "info",
    trustedProxies: resolveTrustedProxies(settings.trusted_proxies, file.name),
    limits,
    defaults: {
      quotas: resolveQuotas(settings.defaults?.quotas),
      spendLimitCents: settings.defaults?.spend_limit_cents,
      maxLifetimeSeconds: settings.defaults?.max_lifetime_seconds,
      terms: resolveTerms(settings.defaults, file.name),
      fileSystemGb: settings.defaults?.file_system_gb ?? 1000,
    },
    reconciler: {
      concurrency: settings.reconciler?.concurrency ?? 64,
      leaseSeconds: settings.reconciler?.lease_seconds ?? 5,
      bootDeadlineSeconds: settings.reconciler?.boot_deadline_seconds ?? 600,
      limitCheckSeconds: settings.reconciler?.limit_check_seconds ?? 30,
      downtime: {
        policy: settings.downtime?.policy ?? "pause",
        toleranceSeconds: settings.downtime?.tolerance_seconds ?? 300,
      },
    },
    balance: resolveBalance(settings.balance),
    reservations: resolveReservations(settings.reservations),
    webhooks: resolveWebhooks(settings.webhooks, file.name),
    email: resolveEmail(settings.email, env.LESSOR_SMTP_PASSWORD, file),
    signIn: resolveSignIn(settings.sign_in, env.LESSOR_SIGN_IN_SECRETS, file.name),
    invoices: resolveInvoices(settings.invoices, file.name),
    payments: resolvePayments(
      settings.payments,
      { stripeKey: env.LESSOR_STRIPE_SECRET_KEY, stripeWebhook: env.LESSOR_STRIPE_WEBHOOK_SECRET },
      file.name,
    ),
    fencing: resolveFencing(settings.fencing),
    gpus: resolveGpus(settings.gpus),
    jupyterUrlTemplate:
      settings.jupyter_url_template === undefined
        ? undefined
        : parseJupyterUrlTemplate(settings.jupyter_url_template, `jupyter_url_template in ${file.name}`),
    lambda: resolveLambda(settings, limits, file.name),
    engines,
  };
}

/** A value of the file in the form of the environment, so that one parser serves both. */
function asText(value: FileSettings[keyof FileSettings]): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number" || typeof value === "string") return String(value);
  throw new Error("BUG: only plain settings are in the environment too");
}

function resolveLimits(settings: FileSettings["limits"], fileName: string): Limits {
  const limits = {
    maxQuantity: settings?.max_quantity ?? 64,
    requestsPerMinutePerToken: settings?.requests_per_minute_per_token ?? 60_000,
    requestsPerMinutePerAddress: settings?.requests_per_minute_per_address ?? 120_000,
    failedAuthenticationsPerMinutePerAddress: settings?.failed_authentications_per_minute_per_address ?? 60,
    requestsUnderWay: settings?.requests_under_way ?? 1000,
    connections: settings?.connections ?? 10_000,
    connectionsPerAddress: settings?.connections_per_address ?? 1000,
    auditDays: settings?.audit_days ?? 400,
    eventDays: settings?.event_days ?? 90,
    terminatedVisibleSeconds: settings?.terminated_visible_seconds ?? 3600,
    terminatedReadableDays: settings?.terminated_readable_days ?? 30,
    bodyBytes: settings?.body_bytes ?? 1_048_576,
    waiting: {
      mostDays: settings?.waiting_launches?.max_days ?? waitBounds.mostDays,
      perAccount: settings?.waiting_launches?.per_account ?? waitBounds.perAccount,
      isFair: settings?.waiting_launches?.fair_share ?? waitBounds.isFair,
    },
    spot: { noticeSeconds: settings?.spot?.notice_seconds ?? spotDefaults.noticeSeconds },
    reservations: resolveReservationBounds(settings?.reservations),
  };
  refuseUnreadable(limits.terminatedVisibleSeconds, limits, `limits.terminated_visible_seconds in ${fileName}`);
  return limits;
}

function resolveLambda(settings: FileSettings, limits: Limits, fileName: string): LambdaSettings {
  const { restart_reboots: restartReboots = true, terminated_visible_seconds: terminatedVisibleSeconds = 0 } =
    settings.interfaces?.lambda ?? {};
  const name = `interfaces.lambda.terminated_visible_seconds in ${fileName}`;
  refuseUnreadable(terminatedVisibleSeconds, limits, name);
  return { restartReboots, terminatedVisibleSeconds };
}

/** Throws ConfigError if a list could have instances that can no longer be read. */
function refuseUnreadable(seconds: number, { terminatedReadableDays }: Limits, name: string): void {
  if (seconds <= terminatedReadableDays * 86_400) return;
  throw new ConfigError(`${name} must be at most limits.terminated_readable_days: what is on a list can also be read.`);
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
