// What the README promises of `npm start`, on the real program.

import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Lessor, refusedStart, spawnLessor, startLessor } from "../support/lessor.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

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

describe("the first start", () => {
  it("prints addresses, docs pages, both tokens and a line that launches a machine", async () => {
    const lessor = await startLessor(await temporaryDirectory());
    for (const place of ["Marketplace (variant M)", "Direct (variant D)", "Reference (variant R)", "Control"]) {
      const base = lessor.shown(place);
      expect(base, place).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
      expect((await fetch(`${base}/docs`)).status, place).toBe(200);
      expect((await fetch(`${base}/openapi.json`)).status, place).toBe(200);
    }
    expect(lessor.shown("Operator token")).toMatch(/^lessor_[\w-]{43}$/);
    const { url, init } = launchLine(lessor);
    const launched = await fetch(url, init);
    expect(launched.status).toBe(200);
    expect(await launched.json()).toMatchObject({ data: { uuid: expect.any(String) } });
  }, 60_000);

  it("loads the demo world: three regions, forty hosts, products in stock, four images, two coupons", async () => {
    const lessor = await startLessor(await temporaryDirectory());
    const token = lessor.shown("Operator token");
    const counts = await Promise.all(
      ["regions", "hosts", "images", "coupons"].map(async (collection) => {
        const answer = (await (await get(lessor, "Control", `/${collection}`, token)).json()) as { data: unknown[] };
        return [collection, answer.data.length];
      }),
    );
    expect(Object.fromEntries(counts)).toEqual({ regions: 3, hosts: 40, images: 4, coupons: 2 });
    const types = (await (await get(lessor, "Marketplace (variant M)", "/instance-types", token)).json()) as {
      data: Record<string, { capacity_available: number }>;
    };
    expect(Object.keys(types.data).length).toBeGreaterThanOrEqual(12);
    expect(Object.values(types.data).every((type) => type.capacity_available > 0)).toBe(true);
  }, 60_000);

  it("loads the demo also where the control interface answers for one host name only", async () => {
    const directory = await temporaryDirectory();
    const settings = join(directory, "settings.yaml");
    writeFileSync(settings, "interfaces:\n  control: { host_name: c.example.com }\n");
    const lessor = await startLessor(directory, { LESSOR_CONFIG: settings });
    const types = await get(lessor, "Marketplace (variant M)", "/instance-types", lessor.shown("Customer token"));
    expect(Object.keys(((await types.json()) as { data: object }).data).length).toBeGreaterThanOrEqual(12);
    const control = `${new URL(lessor.shown("Marketplace (variant M)") ?? "").origin}/control/v1`;
    expect((await fetch(`${control}/openapi.json`)).status).toBe(404);
  }, 60_000);

  it("keeps the key file to its owner", async () => {
    const directory = await temporaryDirectory();
    await startLessor(directory);
    expect(statSync(join(directory, "encryption.key")).mode & 0o777).toBe(0o600);
  }, 60_000);

  it("with LESSOR_DEMO=0 starts empty, with an operator's token and no customer's", async () => {
    const lessor = await startLessor(await temporaryDirectory(), { LESSOR_DEMO: "0" });
    expect(lessor.shown("Customer token")).toBeUndefined();
    const hosts = await get(lessor, "Control", "/hosts", lessor.shown("Operator token"));
    expect(await hosts.json()).toEqual({ data: [] });
  }, 60_000);

  it("takes a preset operator token and does not print it", async () => {
    const preset = "an operator's own token, 32 or more".replaceAll(" ", "-");
    const lessor = await startLessor(await temporaryDirectory(), { LESSOR_OPERATOR_TOKEN: preset });
    expect(lessor.output()).not.toContain(preset);
    expect((await get(lessor, "Control", "/accounts", preset)).status).toBe(200);
  }, 60_000);
});

describe("a first start whose reader is gone before it could show the tokens", () => {
  it("fails, and the next one shows them", async () => {
    const directory = await temporaryDirectory();
    const unseen = spawnLessor(directory);
    unseen.process.stdout?.destroy();
    expect(await once(unseen.process, "exit")).toEqual([1, null]);
    const seen = await startLessor(directory);
    expect(seen.shown("Customer token")).toMatch(/^lessor_/);
    expect(seen.shown("Operator token")).toMatch(/^lessor_/);
  }, 60_000);
});

describe("a later start on the same data", () => {
  it("keeps a preset operator token valid, and ends it when another is set", async () => {
    const directory = await temporaryDirectory();
    const preset = (letter: string) => ({ LESSOR_OPERATOR_TOKEN: letter.repeat(32), LESSOR_DEMO: "0" });
    const status = async (lessor: Lessor, letter: string) =>
      (await get(lessor, "Control", "/accounts", letter.repeat(32))).status;
    await (await startLessor(directory, preset("a"))).end("SIGTERM");
    const again = await startLessor(directory, preset("a"));
    expect(await status(again, "a")).toBe(200);
    await again.end("SIGTERM");
    const other = await startLessor(directory, preset("b"));
    expect([await status(other, "a"), await status(other, "b")]).toEqual([401, 200]);
  }, 60_000);

  it("shows no token, and the first ones still work", async () => {
    const directory = await temporaryDirectory();
    const first = await startLessor(directory);
    const token = first.shown("Customer token");
    expect(await first.end("SIGINT")).toBe(0);
    const second = await startLessor(directory);
    expect(second.output()).not.toContain("lessor_");
    expect((await get(second, "Marketplace (variant M)", "/instances", token)).status).toBe(200);
  }, 60_000);

  it("refuses another key than the one the data was written with", async () => {
    const directory = await temporaryDirectory();
    const env = (byte: string) => ({ LESSOR_ENCRYPTION_KEY: byte.repeat(32), LESSOR_DEMO: "0" });
    await (await startLessor(directory, env("aa"))).end("SIGTERM");
    const { code, said } = await refusedStart(directory, env("bb"));
    expect(code).toBe(1);
    expect(said).toContain("LESSOR_ENCRYPTION_KEY");
  }, 60_000);
});

describe("a second instance on the same data directory", () => {
  it("is refused with a message that names the directory, and harms nothing", async () => {
    const directory = await temporaryDirectory();
    const first = await startLessor(directory, { LESSOR_DEMO: "0" });
    const { code, said } = await refusedStart(directory);
    expect(code).toBe(1);
    expect(said).toContain(`The data directory ${directory} is in use`);
    expect((await get(first, "Control", "/hosts", first.shown("Operator token"))).status).toBe(200);
  }, 60_000);
});

describe("a port that is in use", () => {
  it("is told by the name of its setting, and nothing is left running", async () => {
    const first = await startLessor(await temporaryDirectory(), { LESSOR_DEMO: "0" });
    const { port } = new URL(first.shown("Control") ?? "");
    const directory = await temporaryDirectory();
    const { code, said } = await refusedStart(directory, { LESSOR_DEMO: "0", LESSOR_PORT: port });
    expect(code).toBe(1);
    expect(said).toContain(`LESSOR_PORT: port ${port} is in use`);
    expect(existsSync(join(directory, "postgres/data/postmaster.pid"))).toBe(false);
  }, 60_000);
});

describe("a key file that is lost", () => {
  it("is not replaced by a new one that opens nothing", async () => {
    const directory = await temporaryDirectory();
    await (await startLessor(directory, { LESSOR_DEMO: "0" })).end("SIGTERM");
    rmSync(join(directory, "encryption.key"));
    const { code, said } = await refusedStart(directory);
    expect([code, said.includes("encryption key")]).toEqual([1, true]);
    expect(existsSync(join(directory, "encryption.key"))).toBe(false);
  }, 60_000);
});

describe("stopping", () => {
  it("takes no longer for connections that are open and idle", async () => {
    const lessor = await startLessor(await temporaryDirectory(), { LESSOR_DEMO: "0" });
    const { hostname, port } = new URL(lessor.shown("Control") ?? "");
    const idle = connect({ host: hostname, port: Number(port) });
    await once(idle, "connect");
    const began = performance.now();
    expect(await lessor.end("SIGINT")).toBe(0);
    expect(performance.now() - began).toBeLessThan(3_000);
    idle.destroy();
  }, 60_000);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`by ${signal} ends everything within ten seconds and leaves nothing running`, async () => {
      const directory = await temporaryDirectory();
      const lessor = await startLessor(directory);
      const postgres = postmasterPid(directory);
      const { url, init } = launchLine(lessor);
      await fetch(url, init);
      const began = performance.now();
      expect(await lessor.end(signal)).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(existsSync(`/proc/${postgres}`)).toBe(false);
    }, 60_000);
  }
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
    }, 60_000);
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
