import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import type { TerminalOrder } from "../engine.ts";
import { instanceName } from "./labels.ts";

const shell: TerminalOrder = { kind: "shell", columns: 80, rows: 24 };
const bytes = (text: string) => new TextEncoder().encode(text);

async function begin(order = shell) {
  const stand = await beginStand();
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  await stand.engine.start(spec, signal());
  const terminal = await stand.engine.openTerminal(spec, order, signal());
  await eventually(() => stand.fake.sessions[0]?.control).toBeDefined();
  const session = stand.fake.sessions[0];
  if (session === undefined) throw new Error("no session was opened");
  const seen: Uint8Array[] = [];
  let ends = 0;
  const listen = () => {
    terminal.onData((data) => seen.push(data));
    terminal.onEnd(() => {
      ends++;
    });
  };
  return { ...stand, spec, terminal, session, listen, shown: () => Buffer.concat(seen).toString(), ends: () => ends };
}

describe("a shell", () => {
  it("is a login shell of root's, in a terminal of the size that was asked for", async () => {
    const { fake, spec } = await begin({ kind: "shell", columns: 132, rows: 50 });
    const request = fake.seen("POST", /\/exec$/).at(-1);
    expect(request?.path).toBe(`/1.0/instances/${instanceName(spec.id)}/exec`);
    expect(JSON.parse(String(request?.body))).toMatchObject({
      interactive: true,
      "wait-for-websocket": true,
      width: 132,
      height: 50,
      user: 0,
      environment: { TERM: "xterm-256color", HOME: "/root" },
    });
  });

  it("shows what the guest writes, byte for byte, also what came before anybody listened", async () => {
    const { engine, spec, session, listen, shown } = await begin();
    session.data?.sendBytes(bytes("early ü "));
    // Long enough for it to have come.
    for (let times = 0; times < 5; times++) await engine.inspect(spec, signal());
    listen();
    session.data?.sendBytes(Uint8Array.of(0, 27, 91, 109));
    await eventually(shown).toBe("early ü \0\u001b[m");
  });

  it("ends where more comes than can wait for somebody who listens", async () => {
    const { session, listen, shown, ends } = await begin();
    for (let piece = 0; piece < 40; piece++) session.data?.sendBytes(new Uint8Array(50_000));
    await eventually(() => session.told).toEqual([{ command: "signal", signal: 9 }]);
    listen();
    expect(shown().length).toBeLessThan(1_200_000);
    expect(ends()).toBe(1);
  });

  it("passes on what is typed, byte for byte, long pieces too", async () => {
    const { session, terminal } = await begin();
    const long = "x".repeat(3000);
    terminal.write(bytes("lsü\r"));
    terminal.write(bytes(long));
    await eventually(() => Buffer.concat(session.typed).toString()).toBe(`lsü\r${long}`);
  });

  it("passes on the new size", async () => {
    const { session, terminal } = await begin();
    terminal.resize(120, 40);
    await eventually(() => session.told).toEqual([{ command: "window-resize", args: { width: "120", height: "40" } }]);
  });

  it("ends once when the guest ends it, and what is written then is lost", async () => {
    const { session, terminal, listen, ends } = await begin();
    listen();
    terminal.write(bytes("exit\n"));
    await eventually(ends).toBe(1);
    terminal.write(bytes("lost"));
    terminal.resize(1, 1);
    terminal.close();
    expect(ends()).toBe(1);
    expect(Buffer.concat(session.typed).toString()).toBe("exit\n");
  });

  it("ends when its connection is lost", async () => {
    const { session, listen, ends } = await begin();
    listen();
    session.control?.drop();
    await eventually(ends).toBe(1);
    await eventually(() => session.closed).toBe(true);
  });

  it("shows its last output, also where that comes after its control is gone", async () => {
    const { engine, spec, session, listen, shown, ends } = await begin();
    listen();
    session.control?.drop();
    // Long enough for that to have come.
    for (let times = 0; times < 5; times++) await engine.inspect(spec, signal());
    session.data?.sendBytes(bytes("the last words"));
    await eventually(shown).toBe("the last words");
    session.data?.drop();
    await eventually(ends).toBe(1);
  });

  it("closed by us is closed in the cluster, and tells one who asks later", async () => {
    const { session, terminal } = await begin();
    terminal.close();
    await eventually(() => session.closed).toBe(true);
    let told = 0;
    terminal.onEnd(() => {
      told++;
    });
    expect(told).toBe(1);
  });
});

it("a session that the cluster goes on with all the same leaves no connection behind", async () => {
  const { session, terminal } = await begin();
  for (const socket of [session.data, session.control]) if (socket !== undefined) socket.holdsOn = true;
  let cut = 0;
  for (const socket of [session.data, session.control]) {
    if (socket !== undefined)
      socket.onClose = () => {
        cut++;
      };
  }
  terminal.close();
  await eventually(() => cut).toBe(2);
});

it("a console is opened as one", async () => {
  const { fake, spec } = await begin({ kind: "console", columns: 80, rows: 25 });
  const [request] = fake.seen("POST", /\/console$/);
  expect(request?.path).toBe(`/1.0/instances/${instanceName(spec.id)}/console`);
  expect(JSON.parse(String(request?.body))).toEqual({ type: "console", width: 80, height: 25 });
});

describe("a session that cannot be opened", () => {
  async function running() {
    const stand = await beginStand({ kind: "virtual-machine" });
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    await stand.engine.start(spec, signal());
    return { ...stand, spec };
  }

  it("because the connection is refused is unavailable", async () => {
    const { fake, engine, spec } = await running();
    fake.faults.add("GET", /\/websocket$/, { drop: "before" }, 2);
    expect(await failure(engine.openTerminal(spec, shell, signal()))).toMatchObject({ kind: "unavailable" });
  });

  it("because the answer names no sockets is unavailable", async () => {
    const { fake, engine, spec } = await running();
    fake.faults.add("POST", /\/exec$/, {
      answer: JSON.stringify({ type: "async", operation: "/1.0/operations/x", metadata: { metadata: { fds: {} } } }),
    });
    expect(await failure(engine.openTerminal(spec, shell, signal()))).toMatchObject({ kind: "unavailable" });
  });

  it("because the guest is not up yet says so", async () => {
    const { fake, engine, spec } = await running();
    fake.faults.add("POST", /\/exec$/, { fail: { status: 500, error: "LXD VM agent isn't currently running" } });
    const error = await failure(engine.openTerminal(spec, shell, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: "guest-silent" });
  });

  it("in time is given up, with the reason of the signal", async () => {
    const { fake, engine, spec } = await running();
    fake.faults.add("GET", /\/websocket$/, { silence: true }, 2);
    const waiting = new AbortController();
    const call = failure(engine.openTerminal(spec, shell, waiting.signal));
    await eventually(() => fake.seen("GET", /\/websocket$/).length).toBe(2);
    const reason = new Error("too late");
    waiting.abort(reason);
    expect(await call).toBe(reason);
  });
});
