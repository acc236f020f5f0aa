import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createProbe, type ProbeSettings, type ProbeTarget } from "./probe.ts";

const servers: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on loopback that does this with each connection. */
async function listening(onConnection: (socket: Socket) => void): Promise<ProbeTarget & { sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push({ server, sockets });
  return { ip: "127.0.0.1", host: "h1", port: (server.address() as AddressInfo).port, sockets };
}

async function closedPort(): Promise<ProbeTarget> {
  const target = await listening(() => {});
  const last = servers.pop();
  await new Promise((resolve) => last?.server.close(resolve));
  return target;
}

const relay = `const s = require("node:net").connect(+process.argv[2], process.argv[1]);
  s.on("error", (e) => { console.error("relay: " + e.code); process.exit(1); });
  process.stdin.pipe(s); s.pipe(process.stdout);`;
const command = [process.execPath, "-e", relay, "{ip}", "{port}"];
// Starting a process on a busy machine may take a while.
const kinds: readonly (ProbeSettings & { readonly kind: string })[] = [
  { kind: "tcp" },
  { kind: "command", command, timeoutSeconds: 15 },
];
const never = new AbortController().signal;

describe.each(kinds)("a probe by $kind", (settings) => {
  const probe = createProbe(settings);

  it("says that an SSH server answers, and hangs up", async () => {
    const target = await listening((socket) => socket.write("SSH-2.0-OpenSSH_9.2p1\r\n"));
    expect(await probe(target, never)).toEqual({ answers: true });
    await expect.poll(() => target.sockets.size, { timeout: 10_000 }).toBe(0);
  });

  it("puts a greeting together that comes byte by byte", async () => {
    const target = await listening((socket) => {
      socket.setNoDelay();
      for (const byte of "SSH-2.0-x\r\n") socket.write(byte);
    });
    expect(await probe(target, never)).toEqual({ answers: true });
  });

  it.each(["HTTP/1.1 400 Bad Request\r\n", "SSX"])("says that something else answers: %j", async (greeting) => {
    const target = await listening((socket) => socket.write(greeting));
    expect(await probe(target, never)).toEqual({ answers: false, why: "the response is not SSH" });
  });

  it("does not take a server that hangs up for one that answers", async () => {
    const target = await listening((socket) => socket.end("SS"));
    const answer = await probe(target, never);
    expect(answer).toMatchObject({ answers: false, why: expect.stringContaining("before a greeting") });
  });

  it("does not take a connection without a greeting for an answer, and waits no longer than it may", async () => {
    const target = await listening(() => {});
    const short = createProbe({ ...settings, timeoutSeconds: 0.2 });
    expect(await short(target, never)).toEqual({ answers: false, why: "no greeting within 0.2 seconds" });
    await expect.poll(() => target.sockets.size, { timeout: 10_000 }).toBe(0);
  });

  it("rejects with the reason of its signal, at once, also where that came before", async () => {
    const target = await listening(() => {});
    const controller = new AbortController();
    const asked = probe(target, controller.signal);
    controller.abort(new Error("shutting down"));
    await expect(asked).rejects.toThrow("shutting down");
    await expect(probe(target, controller.signal)).rejects.toThrow("shutting down");
  });

  it("says that a connection is refused without waiting", async () => {
    const answer = await probe(await closedPort(), never);
    expect(answer).toMatchObject({ answers: false });
    expect(answer).not.toMatchObject({ why: expect.stringContaining("no greeting within") });
  });
});

describe("a refused connection", () => {
  it("is called so", async () => {
    expect(await createProbe({ kind: "tcp" })(await closedPort(), never)).toEqual({
      answers: false,
      why: "connection rejected",
    });
  });
});
