import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Config, loadConfig } from "./config.ts";
import { ConfigError } from "./settings/error.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "lessor-config-"));
});
afterEach(() => {
  rmSync(cwd, { recursive: true });
});

function load(env: Record<string, string | undefined> = {}, yaml?: string): Config {
  if (yaml !== undefined) writeFileSync(join(cwd, "lessor.yaml"), yaml);
  return loadConfig({ env, cwd });
}

function refusal(env: Record<string, string>, yaml?: string): string {
  try {
    load(env, yaml);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

const token = "an-operator-token-of-36-characters-0";
const key = "5e".repeat(32);

describe("a service that nobody configured", () => {
  it("has these settings", () => {
    const { listeners, ...config } = load();
    expect(config).toEqual({
      host: "127.0.0.1",
      port: 8080,
      referencePort: 8081,
      metricsPort: undefined,
      drainDelaySeconds: 0,
      dataDir: undefined,
      databaseUrl: undefined,
      operatorToken: undefined,
      demo: true,
      encryptionKeys: undefined,
      logLevel: "info",
      trustedProxies: [],
      fencing: [],
      gpus: { helpers: [], faultReports: { perDay: 5, creditMinutes: 0 } },
      balance: { launchSeconds: 3600, whenExhausted: "stop", graceSeconds: 0, keepStoppedSeconds: 86_400 },
      reservations: { unfulfilled: "credit", toleranceSeconds: 900, handoverSeconds: 900 },
      webhooks: { allowHttp: false, allowPrivateTargets: false, disableAfterSeconds: 86_400, perAccount: 20 },
      email: undefined,
      signIn: undefined,
      invoices: undefined,
      payments: undefined,
      limits: {
        maxQuantity: 64,
        requestsPerMinutePerToken: 60_000,
        requestsPerMinutePerAddress: 120_000,
        failedAuthenticationsPerMinutePerAddress: 60,
        auditDays: 400,
        eventDays: 90,
        terminatedVisibleSeconds: 3600,
        terminatedReadableDays: 30,
        bodyBytes: 1_048_576,
        waiting: { mostDays: 30, perAccount: 1000, isFair: false },
        spot: { noticeSeconds: 120 },
        reservations: {
          ...{ mostDaysAhead: 90, longestDays: 90, shortestMinutes: 60, perAccount: 100, cancelNoticeHours: 0 },
        },
        requestsUnderWay: 1000,
        connections: 10_000,
        connectionsPerAddress: 1000,
      },
      defaults: {
        quotas: { instances: 1000, gpus: 1000, vcpus: 20_000, sshKeys: 100, fileSystems: 100 },
        spendLimitCents: undefined,
        maxLifetimeSeconds: undefined,
        terms: { paymentTerms: "postpaid", creditLineCents: null },
        fileSystemGb: 1000,
      },
      reconciler: {
        concurrency: 64,
        leaseSeconds: 5,
        bootDeadlineSeconds: 600,
        limitCheckSeconds: 30,
        downtime: { policy: "pause", toleranceSeconds: 300 },
      },
      jupyterUrlTemplate: undefined,
      lambda: { restartReboots: true, terminatedVisibleSeconds: 0 },
      engines: [
        {
          kind: "simulated",
          settings: {
            name: "simulated",
            bootSeconds: [2, 6],
            stopSeconds: [0.5, 1.5],
            copySeconds: [2, 6],
            seed: undefined,
          },
        },
      ],
    });
    expect(listeners.map(({ name, port, mounts }) => [name, port, mounts.length])).toEqual([
      ["main", 8080, 4],
      ["reference", 8081, 2],
    ]);
  });

  it("reads a variable that is set to nothing as not set", () => {
    const empty = Object.fromEntries(
      [
        "PORT",
        "HOST",
        "REFERENCE_PORT",
        "DATA_DIR",
        "OPERATOR_TOKEN",
        "DEMO",
        "ENCRYPTION_KEY",
        "LOG_LEVEL",
        "CONFIG",
      ].map((name) => [`LESSOR_${name}`, ""]),
    );
    expect(load({ ...empty, DATABASE_URL: "" })).toEqual(load());
  });

  it("minds no other variables", () => {
    expect(load({ PORT: "1", HOST: "example.com", LESSOR_URL: "http://localhost:8080" })).toEqual(load());
  });
});

describe("the environment", () => {
  it("sets everything it can", () => {
    const config = load({
      LESSOR_PORT: "0",
      LESSOR_HOST: "::1",
      LESSOR_REFERENCE_PORT: "0",
      LESSOR_DATA_DIR: "data",
      DATABASE_URL: "postgres://lessor:hunter2@db/lessor",
      LESSOR_OPERATOR_TOKEN: token,
      LESSOR_DEMO: "0",
      LESSOR_ENCRYPTION_KEY: key,
      LESSOR_LOG_LEVEL: "debug",
    });
    expect(config).toMatchObject({
      port: 0,
      host: "::1",
      referencePort: 0,
      dataDir: join(cwd, "data"),
      databaseUrl: "postgres://lessor:hunter2@db/lessor",
      operatorToken: token,
      demo: false,
      encryptionKeys: [Buffer.alloc(32, 0x5e)],
      logLevel: "debug",
    });
  });

  it("wins over the file", () => {
    const yaml = `port: 1000\nhost: 0.0.0.0\ndemo: false\nlog_level: error\noperator_token: ${"f".repeat(32)}\n`;
    expect(load({ LESSOR_PORT: "2000", LESSOR_DEMO: "1", LESSOR_OPERATOR_TOKEN: token }, yaml)).toMatchObject({
      port: 2000,
      host: "0.0.0.0",
      demo: true,
      logLevel: "error",
      operatorToken: token,
    });
  });

  it("lets the file speak where a variable is set to nothing", () => {
    expect(load({ LESSOR_PORT: "" }, "port: 1000").port).toBe(1000);
  });

  it("may name another file", () => {
    writeFileSync(join(cwd, "production.yaml"), "port: 3000\n");
    expect(load({ LESSOR_CONFIG: "production.yaml" }, "port: 1000").port).toBe(3000);
  });
});

describe("the demo", () => {
  const incus = `incus: [{ name: north, urls: ["unix:///run/incus.socket"], region: us-east-1, network: lxdbr0 }]`;

  it("is off beside an engine with real hosts, unless it is asked for", () => {
    expect(load({}, incus).demo).toBe(false);
    expect(load({}, `${incus}\ndemo: true`).demo).toBe(true);
    expect(load({ LESSOR_DEMO: "1" }, incus).demo).toBe(true);
  });
});

describe("the file", () => {
  it("sets everything, in snake_case", () => {
    const config = load(
      {},
      `
port: 80
host: rent.internal
reference_port: 81
data_dir: state/lessor
database_url: postgresql://localhost/lessor
operator_token: ${token}
demo: false
encryption_key: "${key}"
log_level: warn
interfaces:
  marketplace: { enabled: false }
  control: { port: 9000, prefix: /c }
  lambda: { restart_reboots: false, terminated_visible_seconds: 90 }
limits:
  max_quantity: 8
  requests_per_minute_per_token: 10
  terminated_visible_seconds: 60
  terminated_readable_days: 1
  event_days: 7
  body_bytes: 4096
  waiting_launches: { max_days: 7, per_account: 5, fair_share: true }
  spot: { notice_seconds: 45 }
  reservations: { max_days_ahead: 30, max_days: 14, min_minutes: 30, per_account: 3, cancel_notice_hours: 24 }
defaults:
  quotas: { instances: 1, gpus: 2, vcpus: 3, ssh_keys: 4, file_systems: 5 }
  spend_limit_cents: 500000
  max_lifetime_seconds: 86400
  credit_line_cents: 5000
  file_system_gb: 250
simulated: { boot_seconds: [0, 0], stop_seconds: [1, 2], seed: 42 }
reconciler: { concurrency: 2, lease_seconds: 5, boot_deadline_seconds: 30, limit_check_seconds: 10 }
downtime: { policy: credit, tolerance_seconds: 60 }
balance: { launch_seconds: 60, when_exhausted: terminate, grace_seconds: 600, keep_stopped_seconds: 0 }
reservations: { unfulfilled: none, tolerance_seconds: 60, handover_seconds: 1800 }
jupyter_url_template: https://{id}.example.com/?token={token}
incus: [{ name: north, urls: ["unix:///run/incus.socket"], region: us-east-1, network: lxdbr0 }]
libvirt: [{ name: metal, hosts: [{ name: gpu-1, region: us-east-1, uri: "qemu:///system" }], huge_pages: 2MiB }]
`,
    );
    expect(config).toMatchObject({
      port: 80,
      lambda: { restartReboots: false, terminatedVisibleSeconds: 90 },
      host: "rent.internal",
      referencePort: 81,
      dataDir: join(cwd, "state/lessor"),
      databaseUrl: "postgresql://localhost/lessor",
      operatorToken: token,
      demo: false,
      encryptionKeys: [Buffer.alloc(32, 0x5e)],
      logLevel: "warn",
      limits: {
        maxQuantity: 8,
        requestsPerMinutePerToken: 10,
        terminatedVisibleSeconds: 60,
        terminatedReadableDays: 1,
        eventDays: 7,
        bodyBytes: 4096,
        waiting: { mostDays: 7, perAccount: 5, isFair: true },
        spot: { noticeSeconds: 45 },
        reservations: {
          ...{ mostDaysAhead: 30, longestDays: 14, shortestMinutes: 30, perAccount: 3, cancelNoticeHours: 24 },
        },
      },
      balance: { launchSeconds: 60, whenExhausted: "terminate", graceSeconds: 600, keepStoppedSeconds: 0 },
      reservations: { unfulfilled: "none", toleranceSeconds: 60, handoverSeconds: 1800 },
      defaults: {
        quotas: { instances: 1, gpus: 2, vcpus: 3, sshKeys: 4, fileSystems: 5 },
        spendLimitCents: 500_000,
        maxLifetimeSeconds: 86_400,
        terms: { paymentTerms: "postpaid", creditLineCents: 5000 },
        fileSystemGb: 250,
      },
      reconciler: {
        concurrency: 2,
        leaseSeconds: 5,
        bootDeadlineSeconds: 30,
        limitCheckSeconds: 10,
        downtime: { policy: "credit", toleranceSeconds: 60 },
      },
      jupyterUrlTemplate: "https://{id}.example.com/?token={token}",
      engines: [
        { kind: "simulated", settings: { bootSeconds: [0, 0], stopSeconds: [1, 2], seed: 42 } },
        { kind: "incus", settings: { name: "north", endpoints: [{ kind: "unix", path: "/run/incus.socket" }] } },
        {
          kind: "libvirt",
          settings: { name: "metal", hosts: [{ name: "gpu-1", accelerator: "kvm" }], hugePages: "2MiB" },
        },
      ],
    });
    expect(config.listeners.map(({ name, port }) => [name, port])).toEqual([
      ["main", 80],
      ["reference", 81],
      ["control", 9000],
    ]);
  });

  it("bounds requests and connections, opens a port for metrics, and gives load balancers time", () => {
    const yaml =
      "limits: { requests_under_way: 5, connections: 50, connections_per_address: 20 }\nmetrics_port: 9464\ndrain_delay_seconds: 7.5\n";
    expect(load({}, yaml)).toMatchObject({
      limits: { requestsUnderWay: 5, connections: 50, connectionsPerAddress: 20 },
      metricsPort: 9464,
      drainDelaySeconds: 7.5,
    });
    expect(load({ LESSOR_METRICS_PORT: "0" }, yaml).metricsPort).toBe(0);
    expect(refusal({ LESSOR_METRICS_PORT: "http" })).toContain("LESSOR_METRICS_PORT");
  });

  it("leaves the rest of a group at its defaults", () => {
    expect(load({}, "limits: { max_quantity: 2 }").limits).toEqual({ ...load({}, "").limits, maxQuantity: 2 });
  });

  it("is where its relative paths start, while the environment's start at the working directory", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "lessor-etc-"));
    const LESSOR_CONFIG = join(elsewhere, "lessor.yaml");
    writeFileSync(join(elsewhere, "client.pem"), "");
    const tls = `{ certificate: client.pem, key: client.pem, fingerprint: "${key}" }`;
    const cluster = `{ name: north, urls: ["https://10.0.0.1"], tls: ${tls}, region: r, network: n }`;
    writeFileSync(LESSOR_CONFIG, `data_dir: data\nincus: [${cluster}]\n`);
    expect(load({ LESSOR_CONFIG }).dataDir).toBe(join(elsewhere, "data"));
    expect(load({ LESSOR_CONFIG }).engines).toContainEqual({
      kind: "incus",
      settings: expect.objectContaining({ tls: expect.objectContaining({ key: join(elsewhere, "client.pem") }) }),
    });
    expect(load({ LESSOR_CONFIG, LESSOR_DATA_DIR: "data" }).dataDir).toBe(join(cwd, "data"));
    rmSync(elsewhere, { recursive: true });
  });
});

describe("a wrong setting", () => {
  it.each([
    [{ LESSOR_PORT: "http" }, "LESSOR_PORT must be an integer from 0 to 65535"],
    [{ LESSOR_REFERENCE_PORT: "-1" }, "LESSOR_REFERENCE_PORT must be an integer"],
    [{ LESSOR_HOST: "127.0.0.1:80" }, "LESSOR_HOST must be an IP address"],
    [{ DATABASE_URL: "mysql://db" }, "DATABASE_URL must be a URL postgres://"],
    [{ LESSOR_OPERATOR_TOKEN: "short" }, "LESSOR_OPERATOR_TOKEN must have at least 32 characters"],
    [{ LESSOR_DEMO: "true" }, "LESSOR_DEMO must be 0 (off) or 1 (on)"],
    [{ LESSOR_ENCRYPTION_KEY: "short" }, "LESSOR_ENCRYPTION_KEY: The key must be 32 bytes"],
    [{ LESSOR_LOG_LEVEL: "loud" }, "LESSOR_LOG_LEVEL must be one of trace,"],
    [{ LESSOR_CONFIG: "missing.yaml" }, "LESSOR_CONFIG must name an existing file"],
    [{ LESSOR_PORT: "8081" }, "LESSOR_PORT and LESSOR_REFERENCE_PORT must be different ports"],
  ])("in the environment is named as it was written: %j", (env, message) => {
    expect(refusal(env as Record<string, string>)).toContain(message);
  });

  it.each([
    ["host: a b", "host in lessor.yaml must be an IP address"],
    ["data_dir: ''", "data_dir in lessor.yaml must be a path"],
    ["log_level: loud", "log_level in lessor.yaml must be one of"],
    ["database_url: mysql://db", "database_url in lessor.yaml must be a URL"],
    ["reference_port: 8080", "LESSOR_PORT and reference_port in lessor.yaml must be different ports"],
    ["simulated: { boot_seconds: [3, 2] }", "simulated.boot_seconds in lessor.yaml must be [least, most]"],
    ["limits: { terminated_readable_days: 0 }", "limits.terminated_visible_seconds in lessor.yaml must be at most"],
    [
      "interfaces: { lambda: { terminated_visible_seconds: 3000000 } }",
      "interfaces.lambda.terminated_visible_seconds in lessor.yaml must be at most limits.terminated_readable_days",
    ],
    ["jupyter_url_template: http://{host}/", "jupyter_url_template in lessor.yaml must be an http"],
    ["interfaces: { direct: { prefix: api } }", "interfaces.direct.prefix in lessor.yaml must be"],
    ["incus: [{ name: a, urls: [b] }]", "incus[0].urls[0] in lessor.yaml must be https://"],
    [
      "libvirt: [{ name: a, hosts: [{ name: b, region: c, uri: 'qemu+tcp://example.com/system' }] }]",
      "libvirt[0].hosts[0].uri in lessor.yaml must not be qemu+tcp:// except",
    ],
    [
      "incus: [{ name: a, urls: [b] }]\nlibvirt: [{ name: a, hosts: [{ name: b, region: c, uri: d }] }]",
      "libvirt[0].name in lessor.yaml must not be the same as incus[0].name",
    ],
    ["prot: 80", 'lessor.yaml has an unknown setting "prot". Did you mean port?'],
  ])("in the file is named as it was written: %s", (yaml, message) => {
    expect(refusal({}, yaml)).toContain(message);
  });

  it.each([
    { LESSOR_OPERATOR_TOKEN: "hunter2 hunter2 hunter2 hunter2 hunter2" },
    { LESSOR_ENCRYPTION_KEY: `${key},hunter2` },
    { DATABASE_URL: "postgres://lessor:hunter2@db:99999/lessor" },
    { DATABASE_URL: "mysql://lessor:hunter2@db/lessor" },
  ])("that is a secret is not shown", (env) => {
    expect(refusal(env as unknown as Record<string, string>)).not.toContain("hunter2");
  });
});
