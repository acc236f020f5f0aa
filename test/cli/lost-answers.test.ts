// A launch on the command line whose answer is lost: on the way, or because the command was killed before it came. In each
// case there is one machine in the end, and the person is told.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startDemoService } from "../support/demo-service.ts";
import type { RunningServer } from "../support/server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startDemoService(whenOver);
  token = await server.customerToken("demo");
});

const service = () => new URL(server.url);

interface Way {
  readonly url: string;
  /** Fulfilled when the service has answered a launch and the answer was thrown away. */
  readonly lost: Promise<void>;
}

/** A way to the service that loses the answers to the first `count` launches, after the service gave them. */
async function losing(count: number, whatNext: "break" | "silence" | "half" | "page" = "break"): Promise<Way> {
  let left = count;
  let tell = () => {};
  const lost = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const proxy: Server = createServer((incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    const { hostname, port } = service();
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      const isLaunch = method === "POST" && url.endsWith("/instances");
      if (!isLaunch || left === 0) {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      left -= 1;
      answer.resume().on("end", () => {
        if (whatNext === "break") outgoing.destroy();
        // As some proxies do, without the length.
        if (whatNext === "half") outgoing.writeHead(200, { connection: "close" }).end('{"data":[{"id":"01a2');
        if (whatNext === "page") outgoing.writeHead(520, { "content-type": "text/html" }).end("<h1>Error 520</h1>");
        tell();
      });
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, lost };
}

const launch = (name: string) => ["launch", "cpu_8x_general", "--name", name, "--no-key", "--no-wait"];

async function machines(env: Record<string, string>, name: string): Promise<unknown[]> {
  const { out } = await runLessor(["list", "--all", "--json"], { env: { ...env, LESSOR_URL: service().origin } });
  return (JSON.parse(out) as { name: string }[]).filter((one) => one.name === name);
}

describe("a launch whose answer is lost", () => {
  it("is asked for again with the same key, and rents one machine", async () => {
    const { url } = await losing(2);
    const env = { HOME: await temporaryDirectory(), LESSOR_URL: url, LESSOR_TOKEN: token };
    const ran = await runLessor(launch("on-the-way"), { env });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain("Retrying; no duplicates are created.");
    expect(await machines(env, "on-the-way")).toHaveLength(1);
  });

  it.each(["half", "page"] as const)("to a proxy that gives a %s instead is asked for again likewise", async (what) => {
    const { url } = await losing(1, what);
    const env = { HOME: await temporaryDirectory(), LESSOR_URL: url, LESSOR_TOKEN: token };
    const ran = await runLessor(launch(`by-a-${what}`), { env });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.err).toContain("is not from a Lessor service. Retrying; no duplicates are created.");
    expect(await machines(env, `by-a-${what}`)).toHaveLength(1);
  });

  it("because somebody pressed Ctrl-C is told of, and is the same launch when it is typed again", async () => {
    const { url, lost } = await losing(1, "silence");
    const env = { HOME: await temporaryDirectory(), LESSOR_URL: url, LESSOR_TOKEN: token };
    const main = resolve(import.meta.dirname, "../../src/main.ts");
    const child = spawn(process.execPath, [main, ...launch("given-up")], { env: { ...process.env, ...env } });
    void lost.then(() => child.kill("SIGINT"));
    const [err] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect(child.exitCode).toBe(130);
    expect(err).toMatch(/It is unknown whether anything was launched\.\nRerun the same command within 24 hours/);
    expect(await runLessor(launch("given-up"), { env })).toMatchObject({ code: 0 });
    expect(await machines(env, "given-up")).toHaveLength(1);
  });

  it("because the command was killed is the same launch when it is typed again, and a new one after that", async () => {
    const { url, lost } = await losing(1, "silence");
    const env = { HOME: await temporaryDirectory(), LESSOR_URL: url, LESSOR_TOKEN: token };
    const main = resolve(import.meta.dirname, "../../src/main.ts");
    const killed = spawn(process.execPath, [main, ...launch("killed")], {
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
    await lost;
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await machines(env, "killed")).toHaveLength(1);

    const again = await runLessor(launch("killed"), { env });
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).toContain("It is retried and creates no duplicates");
    expect(await machines(env, "killed")).toHaveLength(1);

    expect(await runLessor(launch("killed"), { env })).toMatchObject({ code: 0 });
    expect(await machines(env, "killed")).toHaveLength(2);
  });
});

describe("a launch whose notices nobody reads", () => {
  it("goes on to its end, and shows what was launched", async () => {
    const main = resolve(import.meta.dirname, "../../src/main.ts");
    const env = { HOME: await temporaryDirectory(), LESSOR_URL: service().origin, LESSOR_TOKEN: token };
    const child = spawn(process.execPath, [main, ...launch("unread"), "--json"], { env: { ...process.env, ...env } });
    child.stderr.destroy();
    const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(JSON.parse(out)).toMatchObject([{ name: "unread" }]);
    expect(child.exitCode).toBe(0);
  });
});
