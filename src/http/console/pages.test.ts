// The console's page and files over real HTTP, from a folder as the build makes one.

import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange, type Headers } from "../../../test/support/console.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { afterFile } from "../../../test/support/when-over.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { acceptedEncodings } from "../edge/content-encoding.ts";
import { builtConsole } from "./built-files.ts";

const whenOver = afterFile();
let world: World;
let http: RunningHttp;
let directory: string;
const script = `export const words = ${JSON.stringify("lessor ".repeat(2000))};`;
const index = '<!doctype html><div id="console"></div><script type="module" src="/assets/index-1.js"></script>';

beforeAll(async () => {
  world = await makeWorld();
  directory = join(await temporaryDirectory(0o700, whenOver), "dist/console");
  mkdirSync(join(directory, "assets/deep"), { recursive: true });
  writeFileSync(join(directory, "index.html"), index);
  writeFileSync(join(directory, "mark.svg"), "<svg/>");
  writeFileSync(join(directory, "assets/index-1.js"), script);
  writeFileSync(join(directory, "assets/deep/font.woff2"), "font");
  writeFileSync(join(directory, "../secret.key"), "the key of keys");
  http = await startHttp(world, { consoleDirectory: directory });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const get = (path: string, headers: Headers = asBrowser, method = "GET") => exchange(method, http.main + path, headers);

describe("the page", () => {
  it.each(["/", "/instances", "/instances/0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d?tab=terminal", "/operator/hosts/"])(
    "is at every address that nothing else has, for a browser: %s",
    async (path) => {
      const { status, headers, text } = await get(path);
      expect([status, text, headers["content-type"]]).toEqual([200, index, "text/html; charset=utf-8"]);
    },
  );

  it("is in the log as a request that was answered, and as no error", async () => {
    const lines: string[] = [];
    const logging = await startHttp(world, {
      consoleDirectory: directory,
      log: { write: (line) => void lines.push(line) },
    });
    try {
      for (const path of ["/instances", "/mark.svg"])
        expect((await exchange("GET", logging.main + path, asBrowser)).status).toBe(200);
      await exchange("GET", `${logging.main}/nothing`, { accept: "*/*" });
    } finally {
      await logging.close();
    }
    expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30)).toEqual([]);
  });

  it("may load what is of this origin, run nothing inlined, and be in no frame", async () => {
    for (const path of ["/", "/instances"]) {
      const { headers } = await get(path);
      const policy = String(headers["content-security-policy"]).split("; ");
      expect(policy).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "connect-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "manifest-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "x-frame-options": "DENY",
        "cache-control": "no-cache",
      });
    }
  });

  it("is not sent again to who has it, and has no body for HEAD", async () => {
    const { headers } = await get("/");
    const again = await get("/", { ...asBrowser, "if-none-match": headers.etag ?? "" });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", headers.etag]);
    for (const path of ["/", "/instances"]) {
      const head = await get(path, asBrowser, "HEAD");
      expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", String(index.length)]);
    }
  });

  it("is the new one after a build, without a restart", async () => {
    writeFileSync(join(directory, "index.html"), `${index}<!-- new -->`);
    writeFileSync(join(directory, "assets/index-2.js"), "2");
    utimesSync(join(directory, "index.html"), new Date(), new Date(Date.now() + 5000));
    expect((await get("/assets/index-2.js")).text).toBe("2");
    expect((await get("/")).text).toBe(`${index}<!-- new -->`);
    writeFileSync(join(directory, "index.html"), index);
  });
});

describe("programs", () => {
  it("get the errors of every interface, where browsers get the page", async () => {
    for (const accept of [null, "*/*", "application/json"]) {
      const { status, body } = await get("/instances", { accept });
      expect([status, body]).toMatchObject([404, { error: { code: "global/not-found" } }]);
    }
    expect((await get("/instances", asBrowser, "POST")).status).toBe(404);
  });

  it("get them at the paths of interfaces, whoever asks", async () => {
    for (const path of ["/control/v1/nonsense", "/api/v1/nonsense", "/reference/nonsense"]) {
      const { status, body } = await get(path);
      expect([status, body], path).toMatchObject([404, { error: { code: "global/not-found" } }]);
    }
    const wrongMethod = await get("/api/vm_marketplace/instance-operations/stop");
    expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, "POST"]);
    expect((await get("/healthz")).body).toEqual({ status: "ok" });
    expect((await get("/console/session")).status).toBe(401);
  });

  it("find no page on the port that has no control interface", async () => {
    const { status } = await exchange("GET", `${http.reference}/`, asBrowser);
    expect(status).toBe(404);
  });
});

describe("a file", () => {
  it("of the build is kept for good, under the name that its content has", async () => {
    const { status, headers, text } = await get("/assets/index-1.js", { accept: "*/*" });
    expect([status, text]).toEqual([200, script]);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
    });
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("comes as small as the client can read it, each spelling with an ETag of its own", async () => {
    const seen = await Promise.all(
      ["br, gzip", "gzip;q=0.5, br;q=0", "identity"].map(async (encodings) => {
        const response = await fetch(`${http.main}/assets/index-1.js`, { headers: { "accept-encoding": encodings } });
        return { etag: response.headers.get("etag"), encoding: response.headers.get("content-encoding") };
      }),
    );
    expect(seen.map(({ encoding }) => encoding)).toEqual(["br", "gzip", null]);
    expect(new Set(seen.map(({ etag }) => etag)).size).toBe(3);
    const raw = async (encoding: string) =>
      Buffer.from(
        (await exchange("GET", `${http.main}/assets/index-1.js`, { "accept-encoding": encoding }, undefined, "latin1"))
          .text,
        "latin1",
      );
    const [brotli, gzip] = [await raw("br"), await raw("gzip")];
    expect([brotliDecompressSync(brotli).toString(), gunzipSync(gzip).toString()]).toEqual([script, script]);
    expect(Math.max(brotli.length, gzip.length)).toBeLessThan(script.length / 20);
  });

  it("that is compact already comes as it is", async () => {
    const { headers, text } = await get("/assets/deep/font.woff2", { "accept-encoding": "br" });
    expect([headers["content-type"], headers["content-encoding"], text]).toEqual(["font/woff2", undefined, "font"]);
  });

  it("beside the page is asked for each time whether it changed", async () => {
    const { headers, text } = await get("/mark.svg", {});
    expect([text, headers["content-type"], headers["cache-control"]]).toEqual(["<svg/>", "image/svg+xml", "no-cache"]);
  });

  it.each([
    "/assets/../../secret.key",
    "/assets/..%2f..%2fsecret.key",
    "/assets/%2e%2e/%2e%2e/secret.key",
    "/assets/..%5c..%5csecret.key",
    "/../secret.key",
    "/..%2fsecret.key",
    "/assets/deep",
    "/assets/",
    "/assets/nonsense.js",
    "/assets//etc/passwd",
    "/assets/%00",
    "/assets/index-1.js%00.html",
    "/__proto__",
    "/constructor",
  ])("is only one that the build made: %s", async (path) => {
    const seen = await get(path, { accept: "*/*" });
    expect(seen.text).not.toContain("the key of keys");
    expect([400, 404]).toContain(seen.status);
  });
});

describe("where the console is not built", () => {
  it("the page says so, and how it is built; and everything else is as without it", async () => {
    const bare = await startHttp(world, { consoleDirectory: join(directory, "nowhere") });
    try {
      const { status, headers, text } = await exchange("GET", `${bare.main}/`, asBrowser);
      expect([status, headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
      expect(text).toContain("npm run build:console");
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      const elsewhere = await exchange("GET", `${bare.main}/instances`, asBrowser);
      expect(elsewhere.body).toMatchObject({ error: { code: "global/not-found" } });
      expect((await exchange("GET", `${bare.main}/assets/index-1.js`, {})).status).toBe(404);
    } finally {
      await bare.close();
    }
  });

  it("that may change while the service runs", async () => {
    const made = join(directory, "../made");
    const waiting = await startHttp(world, { consoleDirectory: made });
    try {
      expect((await exchange("GET", `${waiting.main}/`, asBrowser)).status).toBe(404);
      mkdirSync(made);
      writeFileSync(join(made, "index.html"), "made");
      expect((await exchange("GET", `${waiting.main}/`, asBrowser)).text).toBe("made");
      rmSync(made, { recursive: true });
      expect((await exchange("GET", `${waiting.main}/`, asBrowser)).status).toBe(404);
    } finally {
      await waiting.close();
    }
  });
});

describe("the control interface on a host name of its own", () => {
  it("has the console there, and nowhere else", async () => {
    const listeners = http.config.listeners.map((listener) => ({
      ...listener,
      mounts: listener.mounts.map((mount) =>
        mount.interface === "control" ? { ...mount, hostName: "console.example" } : mount,
      ),
    }));
    const named = await startHttp(world, { consoleDirectory: directory, config: { listeners } });
    try {
      for (const path of ["/", "/instances", "/mark.svg"]) {
        const here = await exchange("GET", named.main + path, { ...asBrowser, host: "console.example:8080" });
        const there = await exchange("GET", named.main + path, asBrowser);
        expect([here.status, there.status], path).toEqual([200, 404]);
      }
      const session = { "x-lessor-console": "1" };
      expect((await exchange("GET", `${named.main}/console/session`, session)).status).toBe(404);
      expect(
        (await exchange("GET", `${named.main}/console/session`, { ...session, host: "console.example" })).status,
      ).toBe(401);
    } finally {
      await named.close();
    }
  });
});

it("encodings are read from the header with their weights", () => {
  expect(acceptedEncodings(undefined)).toEqual(new Set(["identity"]));
  expect(acceptedEncodings("GZIP, deflate, br;q=1.0")).toEqual(new Set(["identity", "gzip", "br"]));
  expect(acceptedEncodings("gzip;q=0, br; q=0.000")).toEqual(new Set(["identity"]));
});

it("the place is that of the build, beside package.json", () => {
  expect(builtConsole()).toBe(join(import.meta.dirname, "../../../dist/console"));
});
