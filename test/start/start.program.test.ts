// What the README promises of `npm start`, on the real program.

import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { type Lessor, refusedStart, spawnLessor, startLessor } from "../support/lessor.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile, afterTest } from "../support/when-over.ts";

/** The request that the printed curl line makes. */
function launchLine(lessor: Lessor): { url: string; init: RequestInit } {
  const [, url, authorization, body] =
    /curl -s -X POST (\S+) \\\n\s+-H "Authorization: ([^"]+)" \\\n\s+-d '([^']+)'/.exec(lessor.output()) ?? [];
  if (url === undefined || authorization === undefined || body === undefined) throw new Error(lessor.output());
  return { url, init: { method: "POST", headers: { authorization }, body } };
}

function get(lessor: Lessor, place: string, path: string, token: string | undefined) {
  return fetch(`${lessor.shown(place)}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

const postmasterPid = (directory: string) =>
  Number(readFileSync(join(directory, "postgres/data/postmaster.pid"), "utf8").split("\n")[0]);

// Each start is seconds: these two are shared by what leaves them as they were, in the order of this file.
const whenOver = afterFile();
let demo: Lessor;
let demoDirectory: string;
let empty: Lessor;
let emptyDirectory: string;
/** As the first start showed it. */
let customerToken: string;
beforeAll(async () => {
  demoDirectory = await temporaryDirectory(0o711, whenOver);
  emptyDirectory = await temporaryDirectory(0o711, whenOver);
  [demo, empty] = await Promise.all([
    startLessor(demoDirectory, {}, whenOver),
    startLessor(emptyDirectory, { LESSOR_DEMO: "0" }, whenOver),
  ]);
  customerToken = demo.shown("Customer token") ?? "";
});

/** Settings for a start on a database that is there: nothing is made for it. */
async function onDatabase(): Promise<NodeJS.ProcessEnv> {
  const fresh = await freshDatabase();
  afterTest(() => fresh.close());
  return { DATABASE_URL: fresh.url };
}

describe("the first start", () => {
  it("prints addresses, docs pages, both tokens and a line that launches a machine", async () => {
    for (const place of ["Marketplace (variant M)", "Direct (variant D)", "Reference (variant R)", "Control"]) {
      const base = demo.shown(place);
      expect(base, place).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
      expect((await fetch(`${base}/docs`)).status, place).toBe(200);
      expect((await fetch(`${base}/openapi.json`)).status, place).toBe(200);
    }
    expect(demo.shown("Operator token")).toMatch(/^lessor_[\w-]{43}$/);
    const { url, init } = launchLine(demo);
    const launched = await fetch(url, init);
    expect(launched.status).toBe(200);
    expect(await launched.json()).toMatchObject({ data: { uuid: expect.any(String) } });
  });

  it("loads the demo world: three regions, forty hosts, products in stock, four images, two coupons", async () => {
    const token = demo.shown("Operator token");
    const counts = await Promise.all(
      ["regions", "hosts", "images", "coupons"].map(async (collection) => {
        const answer = (await (await get(demo, "Control", `/${collection}`, token)).json()) as { data: unknown[] };
        return [collection, answer.data.length];
      }),
    );
    expect(Object.fromEntries(counts)).toEqual({ regions: 3, hosts: 40, images: 4, coupons: 2 });
    const types = (await (await get(demo, "Marketplace (variant M)", "/instance-types", token)).json()) as {
      data: Record<string, { capacity_available: number }>;
    };
    expect(Object.keys(types.data).length).toBeGreaterThanOrEqual(12);
    expect(Object.values(types.data).every((type) => type.capacity_available > 0)).toBe(true);
  });

  it("loads the demo also where the control interface answers for one host name only", async () => {
    const directory = await temporaryDirectory();
    const settings = join(directory, "settings.yaml");
    writeFileSync(settings, "interfaces:\n  control: { host_name: c.example.com }\n");
    const lessor = await startLessor(directory, { ...(await onDatabase()), LESSOR_CONFIG: settings });
    const types = await get(lessor, "Marketplace (variant M)", "/instance-types", lessor.shown("Customer token"));
    expect(Object.keys(((await types.json()) as { data: object }).data).length).toBeGreaterThanOrEqual(12);
    const control = `${new URL(lessor.shown("Marketplace (variant M)") ?? "").origin}/control/v1`;
    expect((await fetch(`${control}/openapi.json`)).status).toBe(404);
  });

  it("keeps the key file to its owner", () => {
    expect(statSync(join(demoDirectory, "encryption.key")).mode & 0o777).toBe(0o600);
  });

  it("with LESSOR_DEMO=0 starts empty, with an operator's token and no customer's", async () => {
    expect(empty.shown("Customer token")).toBeUndefined();
    const hosts = await get(empty, "Control", "/hosts", empty.shown("Operator token"));
    expect(await hosts.json()).toEqual({ data: [] });
  });
});

describe("a first start whose reader is gone before it could show the tokens", () => {
  it("fails, and the next one shows them", async () => {
    const directory = await temporaryDirectory();
    const env = await onDatabase();
    const unseen = spawnLessor(directory, env);
    unseen.process.stdout?.destroy();
    expect(await once(unseen.process, "exit")).toEqual([1, null]);
    const seen = await startLessor(directory, env);
    expect(seen.shown("Customer token")).toMatch(/^lessor_/);
    expect(seen.shown("Operator token")).toMatch(/^lessor_/);
  });
});

describe("a preset operator token", () => {
  it("is valid and not printed, also at a later start, and ends when another is set", async () => {
    const directory = await temporaryDirectory();
    const database = await onDatabase();
    const preset = (letter: string) => ({ ...database, LESSOR_OPERATOR_TOKEN: letter.repeat(32), LESSOR_DEMO: "0" });
    const status = async (lessor: Lessor, letter: string) =>
      (await get(lessor, "Control", "/accounts", letter.repeat(32))).status;
    for (let start = 0; start < 2; start++) {
      const lessor = await startLessor(directory, preset("a"));
      expect(lessor.output()).not.toContain("a".repeat(32));
      expect(await status(lessor, "a")).toBe(200);
      await lessor.end("SIGTERM");
    }
    const other = await startLessor(directory, preset("b"));
    expect([await status(other, "a"), await status(other, "b")]).toEqual([401, 200]);
  });
});

describe("another key than the one the data was written with", () => {
  it("is refused", async () => {
    const directory = await temporaryDirectory();
    const database = await onDatabase();
    const env = (byte: string) => ({ ...database, LESSOR_ENCRYPTION_KEY: byte.repeat(32), LESSOR_DEMO: "0" });
    await (await startLessor(directory, env("aa"))).end("SIGTERM");
    const { code, said } = await refusedStart(directory, env("bb"));
    expect(code).toBe(1);
    expect(said).toContain("LESSOR_ENCRYPTION_KEY");
  });
});

describe("a second instance on the same data directory", () => {
  it("is refused with a message that names the directory, and harms nothing", async () => {
    const { code, said } = await refusedStart(emptyDirectory);
    expect(code).toBe(1);
    expect(said).toContain(`The data directory ${emptyDirectory} is in use`);
    expect((await get(empty, "Control", "/hosts", empty.shown("Operator token"))).status).toBe(200);
  });
});

describe("a port that is in use", () => {
  it("is told by the name of its setting, and nothing is left running", async () => {
    const { port } = new URL(empty.shown("Control") ?? "");
    const directory = await temporaryDirectory();
    const { code, said } = await refusedStart(directory, { LESSOR_DEMO: "0", LESSOR_PORT: port });
    expect(code).toBe(1);
    expect(said).toContain(`LESSOR_PORT: port ${port} is in use`);
    expect(existsSync(join(directory, "postgres/data/postmaster.pid"))).toBe(false);
  });
});

describe("stopping", () => {
  // That it does not wait for them at all: src/http/server.test.ts, which needs no clock for it.
  it("ends within ten seconds where connections are open and idle", async () => {
    const { hostname, port } = new URL(empty.shown("Control") ?? "");
    const idle = connect({ host: hostname, port: Number(port) });
    await once(idle, "connect");
    const began = performance.now();
    expect(await empty.end("SIGINT")).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    idle.destroy();
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "by %s ends everything within ten seconds and leaves nothing running, and the next start shows no token",
    async (signal) => {
      const postgres = postmasterPid(demoDirectory);
      const began = performance.now();
      expect(await demo.end(signal)).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(existsSync(`/proc/${postgres}`)).toBe(false);
      demo = await startLessor(demoDirectory, {}, whenOver);
      expect(demo.output()).not.toContain("lessor_");
      expect((await get(demo, "Marketplace (variant M)", "/instances", customerToken)).status).toBe(200);
    },
  );
});

describe("a key file that is lost", () => {
  it("is not replaced by a new one that opens nothing", async () => {
    // Of the service that was stopped above.
    rmSync(join(emptyDirectory, "encryption.key"));
    const { code, said } = await refusedStart(emptyDirectory);
    expect([code, said.includes("encryption key")]).toEqual([1, true]);
    expect(existsSync(join(emptyDirectory, "encryption.key"))).toBe(false);
  });
});

describe("a setting that is wrong", () => {
  for (const [setting, value] of [
    ["LESSOR_PORT", "http"],
    ["LESSOR_OPERATOR_TOKEN", "short"],
    ["LESSOR_ENCRYPTION_KEY", "secret-and-wrong"],
    ["DATABASE_URL", "mysql://root:hunter2@localhost/x"],
    ["LESSOR_DEMO", "perhaps"],
  ] as const) {
    it(`is refused by its name, ${setting}, without repeating its value`, async () => {
      const { code, said } = await refusedStart(await temporaryDirectory(), { [setting]: value });
      expect(code).toBe(1);
      expect(said).toContain(setting);
      expect(said).not.toContain(value);
      expect(said).not.toContain("    at ");
    });
  }
});

describe("lessor --version", () => {
  it("prints the package's version and nothing else", async () => {
    const lessor = spawnLessor(await temporaryDirectory(), {}, "--version");
    await once(lessor.process, "close");
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"));
    expect(lessor.output()).toBe(`${version}\n`);
  });
});
