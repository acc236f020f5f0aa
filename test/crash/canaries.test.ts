// A secret is planted in every secret field there is; then it is looked for, in every form, wherever it must not be: a
// whole dump of the database, the log at debug level, error answers, events and audit, what the kernel shows of processes,
// and every file of the data directory but the key file. Which fields are secret, the code says where it can: columns
// that are called …_sealed, settings that are marked SECRET, and names of fields in the interfaces' documents.

import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { encryptedColumns } from "../../src/encryption/encrypted-columns.ts";
import { loadOrCreateKeyFile } from "../../src/secrets/key-file.ts";
import { Browser } from "../support/console.ts";
import { freshDatabase } from "../support/database.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { call } from "../support/http.ts";
import { type Lessor, refusedStart, startLessor } from "../support/lessor.ts";
import { startMailServer } from "../support/mail-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type Canary, canary, formsOf } from "./canaries/forms.ts";
import { dumpOf, filesIn, type Place, processesAround } from "./canaries/places.ts";
import { type Bases, coreOf, Planting, secretFields, wild } from "./canaries/planting.ts";
import { figure } from "./figures.ts";

const control = "canary-control-that-is-no-secret";

function basesOf(lessor: Lessor): Bases {
  const base = (title: string) => lessor.shown(title) ?? "";
  return {
    marketplace: base("Marketplace (variant M)"),
    direct: base("Direct (variant D)"),
    reference: base("Reference (variant R)"),
    lambda: base("Reference, lambda edition"),
    control: base("Control"),
  };
}

/** Secrets of services outside, which come from the environment. */
function outsideSecrets() {
  const word = () => wild().replace(/[^a-z0-9]/g, "");
  const [client, key, webhook] = [word(), word(), word()];
  return {
    env: {
      LESSOR_SIGN_IN_SECRETS: `acme=${client}`,
      LESSOR_STRIPE_SECRET_KEY: `sk_test_${key}`,
      LESSOR_STRIPE_WEBHOOK_SECRET: `whsec_${webhook}`,
    },
    canaries: [
      canary("client secret of a provider", client),
      canary("Stripe's secret key", key),
      canary("secret of Stripe's webhook", webhook),
    ],
  };
}

/** Has the service ask those services, none of which can be reached. */
async function useOutsideSecrets(lessor: Lessor, token: string): Promise<void> {
  const topUp = await call("POST", `${basesOf(lessor).control}/top-ups`, { token, body: { amount_cents: 1000 } });
  expect(topUp.text).toContain(`"status":"created"`);
  const origin = new URL(basesOf(lessor).control).origin;
  const headers = { "x-lessor-console": "1", origin };
  const signIn = await call("POST", `${origin}/console/sign-in/acme`, { headers, body: {} });
  expect(signIn.text).toContain("unreachable");
}

/** What was found where it must not be, without showing it. */
function hits(canaries: readonly Canary[], places: readonly Place[]): string[] {
  const needles = canaries.map((one) => ({ what: one.what, forms: formsOf(one) }));
  return places.flatMap(({ name, bytes }) =>
    needles.filter(({ forms }) => forms.some((form) => bytes.includes(form))).map(({ what }) => `${what} in ${name}`),
  );
}

const text = (name: string, content: string): Place => ({ name, bytes: Buffer.from(content) });

/** Where a webhook may lead: answers with an error and with what it was sent, so that attempts are on the log. */
async function failingReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(500).end(JSON.stringify(request.headers));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: it listens on a port");
  return `http://127.0.0.1:${address.port}/hook`;
}

/** A person signs in at a provider that gives a refresh token. */
async function refreshTokenOf(lessor: Lessor, provider: FakeProvider): Promise<Canary> {
  provider.refreshToken = wild();
  const browser = new Browser(new URL(basesOf(lessor).control).origin);
  const { body } = await browser.ask("POST", "/console/sign-in/real", { body: {} });
  const query = provider.signsIn((body as { data: { url: string } }).data.url);
  const { headers } = await browser.ask("GET", `/console/sign-in/real/callback?${query}`);
  expect(headers.location).toBe("/");
  return canary("refresh token", coreOf(provider.refreshToken));
}

/**
 * A program in the place of virsh that writes its environment down and fails: a child process of the service. Of a host whose
 * certificates cannot be read, virsh is left to say so.
 */
function nosyVirsh(directory: string): { path: string; written: string } {
  const [programs, written] = [join(directory, "programs"), join(directory, "written")];
  for (const one of [programs, written]) mkdirSync(one);
  const virsh = join(programs, "virsh");
  writeFileSync(virsh, `#!/bin/sh\n{ tr '\\0' '\\n' < /proc/$$/environ; echo "$@"; } > ${written}/$$\nexit 1\n`);
  chmodSync(virsh, 0o755);
  return { path: `${programs}:${process.env.PATH}`, written };
}

describe("secrets", () => {
  it("planted in every secret field are found nowhere", async () => {
    const provider = await FakeProvider.start();
    onTestFinished(() => provider.close());
    const directory = await temporaryDirectory(0o711);
    const data = join(directory, "data");
    const operatorToken = `canary-operator-${wild().replace(/[^a-z0-9]/g, "-")}`;
    const virsh = nosyVirsh(directory);
    const settings = join(directory, "lessor.yaml");
    writeFileSync(
      settings,
      JSON.stringify({
        jupyter_url_template: "https://jupyter.example.com/{id}/?token={token}",
        webhooks: { allow_http: true, allow_private_targets: true },
        // Where no program answers: emails wait, with their secrets.
        email: { host: "127.0.0.1", port: 1, tls: "none", from: "noreply@acme.example" },
        // Likewise: neither can be reached.
        sign_in: {
          console_url: "http://127.0.0.1:1",
          providers: [
            { id: "acme", label: "Acme", issuer: "http://127.0.0.1:1", client_id: "lessor" },
            {
              id: "real",
              label: "Real",
              issuer: provider.issuer,
              client_id: "lessor",
              client_secret: "x",
              sign_up: true,
            },
          ],
        },
        payments: { currency: "usd", return_url: "http://127.0.0.1:1/", stripe: { api_url: "http://127.0.0.1:1" } },
        libvirt: [
          {
            name: "metal",
            hosts: [{ name: "gpu-1", region: "north", uri: "qemu+tls://127.0.0.1/system?pkipath=/none" }],
          },
        ],
      }),
    );
    const outside = outsideSecrets();
    const lessor = await startLessor(data, {
      LESSOR_CONFIG: settings,
      LESSOR_DEMO: "0",
      LESSOR_LOG_LEVEL: "debug",
      LESSOR_OPERATOR_TOKEN: operatorToken,
      ...outside.env,
      PATH: virsh.path,
    });
    const planting = new Planting(basesOf(lessor), operatorToken);
    planting.canaries.push(...outside.canaries);
    planting.canaries.push(canary("operator token", coreOf(operatorToken)));
    const databaseUrl = `postgresql://lessor@/lessor?host=${encodeURIComponent(join(data, "postgres/socket"))}`;
    const ask = { token: operatorToken, body: {} };

    await planting.world();
    await call("POST", `${basesOf(lessor).control}/accounts`, { ...ask, body: { name: control } });
    await planting.plant(await failingReceiver());
    await planting.jupyterTokens();
    await useOutsideSecrets(lessor, operatorToken);
    planting.canaries.push(await refreshTokenOf(lessor, provider));
    await everySealedColumnHasSomething(databaseUrl);
    await call("POST", `${basesOf(lessor).control}/encryption/rotate`, ask);
    const state = async () => {
      const { text } = await call("GET", `${basesOf(lessor).control}/encryption`, { token: operatorToken });
      return (JSON.parse(text) as { data: { rotation: { state: string } | null } }).data.rotation?.state;
    };
    await expect.poll(state, { timeout: 60_000 }).toBe("done");
    const keys = loadOrCreateKeyFile(join(data, "encryption.key"));
    expect(keys).toHaveLength(2);
    for (const key of keys) planting.canaries.push(canary("encryption key", key));
    await planting.provoke();
    const readings = await planting.readings();

    const dump = await dumpOf(databaseUrl);
    const files = filesIn(data, ["encryption.key"]);
    const children = filesIn(virsh.written, []);
    const places = [
      ...dump,
      ...files,
      ...children,
      ...processesAround(lessor.process.pid ?? 0),
      text("the log", lessor.output()),
      ...planting.errors.map(({ text: body, headers }) =>
        text("an error answer", `${body}${JSON.stringify([...headers])}`),
      ),
      ...readings.map(({ text: body }) => text("a reading", body)),
    ];
    const found = hits(planting.canaries, places);
    // That the search finds what is there: a name, which is no secret, lies in the dump and in the database's files.
    expect(hits([canary("name", control)], dump)).not.toEqual([]);
    expect(hits([canary("name", control)], files)).not.toEqual([]);
    expect(children.length).toBeGreaterThan(0);
    expect(planting.errors.length).toBeGreaterThan(100);
    expect(places.some(({ name }) => name.startsWith("environment of"))).toBe(true);
    expect(places.some(({ name }) => name.includes("audit_log"))).toBe(true);
    const megabytes = Math.round(places.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6);
    figure("secrets found where they must not be", {
      reached: found.length,
      toReach: 0,
      of: `${planting.canaries.length} secrets in ${planting.canaries.reduce((sum, one) => sum + formsOf(one).length, 0)} forms, ${places.length} places (${dump.length} tables, ${planting.errors.length} error answers, ${files.length} files), ${megabytes} MB`,
    });
    expect([...new Set(found)]).toEqual([]);
  });

  it("of the settings are found nowhere either: passwords of database and mail server, and keys of the environment", async () => {
    await using fresh = await freshDatabase();
    const [password, key] = [wild(), Buffer.from(wild()).subarray(0, 32)];
    const url = new URL(fresh.url.replace("@/", "@localhost/"));
    url.password = encodeURIComponent(password);
    const databaseUrl = url.href.replace("@localhost/", "@/");
    const mailPassword = wild();
    // It rejects the password with a response that repeats it.
    const mail = await startMailServer({ login: { user: "lessor", password: "another" } });
    const settings = join(await temporaryDirectory(), "lessor.yaml");
    const { host, port } = mail.settings;
    writeFileSync(settings, JSON.stringify({ email: { host, port, user: "lessor", from: "noreply@acme.example" } }));
    const env = {
      DATABASE_URL: databaseUrl,
      LESSOR_ENCRYPTION_KEY: key.toString("base64"),
      LESSOR_SMTP_PASSWORD: mailPassword,
      LESSOR_CONFIG: settings,
      LESSOR_DEMO: "0",
      LESSOR_LOG_LEVEL: "debug",
    };
    const directory = await temporaryDirectory();
    const lessor = await startLessor(directory, env);
    const canaries = [
      canary("database password", coreOf(password)),
      canary("encryption key", key),
      canary("mail password", coreOf(mailPassword)),
    ];
    const token = lessor.shown("Operator token") ?? "";
    const { control: base } = basesOf(lessor);
    const sent = await call("POST", `${base}/emails/test`, { token, body: { to: "ops@acme.example" } });
    await expect
      .poll(async () => (await call("GET", `${base}/emails`, { token })).text)
      .toContain('"error":"authentication"');
    expect(mail.passwords).toEqual([mailPassword]);
    const listed = await call("GET", `${base}/emails`, { token });
    const processes = processesAround(lessor.process.pid ?? 0);
    const answer = await call("GET", `${base}/replicas`, { token });
    await lessor.end("SIGTERM");
    const wrong = { ...env, DATABASE_URL: databaseUrl.replace(/host=[^&]*/, "host=/nowhere") };
    const refusals = [
      await refusedStart(directory, wrong),
      await refusedStart(directory, { ...env, LESSOR_ENCRYPTION_KEY: "ab".repeat(32) }),
      await refusedStart(directory, { ...env, LESSOR_ENCRYPTION_KEY: `${env.LESSOR_ENCRYPTION_KEY}x` }),
      await refusedStart(directory, { ...env, DATABASE_URL: databaseUrl.replace("postgresql:", "mysql:") }),
    ];
    expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    const places = [
      ...(await dumpOf(fresh.url)),
      ...filesIn(directory, []),
      text("the log", lessor.output()),
      ...processes,
      ...[answer, sent, listed].map(({ text: body }) => text("an answer", body)),
      ...refusals.map(({ said }) => text("a refused start", said)),
    ];
    const found = hits(canaries, places);
    figure("secrets of the settings found where they must not be", { reached: found.length, toReach: 0 });
    expect(found).toEqual([]);
  });
});

describe("every secret that the code knows of", () => {
  it("is a setting with a canary of its own", () => {
    const config = readFileSync(resolve(import.meta.dirname, "../../src/config.ts"), "utf8");
    const secret = [...config.matchAll(/\/\*\* SECRET[^\n]*\n\s*readonly (\w+):/g)].map(([, name]) => name);
    const known = ["databaseUrl", "email", "encryptionKeys", "operatorToken", "payments", "signIn"];
    expect(secret.sort()).toEqual(known);
  });

  it("is a field of the interfaces with a canary, as far as names tell", async () => {
    const lessor = await startLessor(await temporaryDirectory(), { LESSOR_DEMO: "0" });
    const names = new Set<string>();
    for (const base of Object.values(basesOf(lessor))) {
      const { body } = await call("GET", `${base}/openapi.json`);
      for (const name of propertyNames(body)) names.add(name);
    }
    const suspicious = [...names].filter((name) =>
      /secret|password|private|token|env_?vars|user_?data|credential/i.test(name),
    );
    expect(suspicious.sort()).toEqual(Object.keys(secretFields).sort());
  });
});

function* propertyNames(schema: unknown): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" && typeof value === "object" && value !== null) yield* Object.keys(value);
    yield* propertyNames(value);
  }
}

/** So that a new sealed column without a canary in it fails. */
async function everySealedColumnHasSomething(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const { table, column } of encryptedColumns) {
      const { rowCount } = await client.query(`select 1 from ${table} where ${column} is not null limit 1`);
      expect(rowCount, `${table}.${column} has no canary`).toBe(1);
    }
  } finally {
    await client.end();
  }
}
