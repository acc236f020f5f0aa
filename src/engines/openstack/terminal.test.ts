import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, serverOf, stopped } from "../../../test/support/fake-openstack/engines.ts";
import { noSuchMachine, type Terminal } from "../engine.ts";

const order = { kind: "console", columns: 80, rows: 24 } as const;
const bytes = (text: string) => new TextEncoder().encode(text);

async function begin() {
  const stand = await beginEngines();
  const spec = stand.spec();
  await booted(stand.engine, spec);
  return { ...stand, spec };
}

async function opened() {
  const stand = await begin();
  const terminal = await stand.engine.openTerminal(stand.spec, order, signal());
  const console = stand.fake.consoles.all[0] ?? expect.unreachable();
  const seen: Uint8Array[] = [];
  const state = { ends: 0 };
  const listen = () => {
    terminal.onData((data) => seen.push(data));
    terminal.onEnd(() => state.ends++);
  };
  return { ...stand, terminal, console, state, listen, shown: () => Buffer.concat(seen).toString() };
}

describe("a terminal", () => {
  it("is the serial console of the machine's server, with what was shown before it was listened to", async () => {
    const { terminal, console, listen, shown, ...stand } = await opened();
    expect(console.server).toBe(serverOf(stand, stand.spec).id);
    await eventually(() => shown()).toBe("");
    listen();
    await eventually(shown).toBe("login: ");
    terminal.write(bytes("root\r"));
    await eventually(shown).toBe("login: root\r");
    terminal.resize(100, 30);
    expect(terminal.unread()).toBe(0);
    terminal.close();
    await eventually(() => console.closed).toBe(true);
  });

  it.each(["end", "drop"] as const)(
    "ends, once, when its proxy ends it (%s), also for who listens late",
    async (how) => {
      const { terminal, console, listen, state } = await opened();
      console[how]();
      listen();
      await eventually(() => state.ends).toBe(1);
      terminal.write(bytes("late"));
      terminal.close();
      expect(state.ends).toBe(1);
      terminal.onEnd(() => state.ends++);
      expect(state.ends).toBe(2);
    },
  );

  it("ends where more comes than can wait for a listener", async () => {
    const { console, state, listen } = await opened();
    for (let piece = 0; piece < 40; piece++) console.print("x".repeat(50_000));
    await eventually(() => console.closed).toBe(true);
    listen();
    expect(state.ends).toBe(1);
  });

  it.each([
    ["its user", ({ terminal }) => terminal.close()],
    ["the engine", ({ engine }) => engine.close()],
  ] satisfies [string, (opened: Awaited<ReturnType<typeof begin>> & { terminal: Terminal }) => unknown][])(
    "that %s has closed leaves no connection, though the proxy does not close it",
    async (_who, close) => {
      const { console, ...stand } = await opened();
      console.holdOn();
      await close(stand);
      await eventually(() => console.closed).toBe(true);
    },
  );

  it.each(["javascript:x", "ftp://cloud.invalid/", "nonsense", ""])("has no other address: %j", async (url) => {
    const { engine, spec, fake } = await begin();
    fake.faults.add("compute", "POST", /remote-consoles$/, {
      answer: { status: 200, body: { remote_console: { url } } },
    });
    const none = { kind: "unavailable", code: "no-console" };
    expect(await failure(engine.openTerminal(spec, order, signal()))).toMatchObject(none);
  });

  it("needs a machine that runs", async () => {
    const { engine, spec } = await begin();
    await stopped(engine, spec);
    const nothing = { kind: "unavailable", code: noSuchMachine };
    expect(await failure(engine.openTerminal(spec, order, signal()))).toMatchObject(nothing);
    await engine.remove(spec, signal());
    expect(await failure(engine.openTerminal(spec, order, signal()))).toMatchObject(nothing);
  });

  it("is not to be had in clouds without serial consoles", async () => {
    const { engine, spec, world } = await begin();
    world.serialConsoles = false;
    const none = { kind: "unavailable", code: "no-console" };
    expect(await failure(engine.openTerminal(spec, order, signal()))).toMatchObject(none);
  });
});

describe("the console log", () => {
  it("is what the server has printed", async () => {
    const { engine, spec, ...stand } = await begin();
    serverOf(stand, spec).console += "Debian GNU/Linux 12\n";
    expect(await engine.consoleLog(spec, signal())).toBe("boot 1\nDebian GNU/Linux 12\n");
  });

  it("of a machine without a server, or without a host yet, is empty; of none it fails", async () => {
    const stand = await beginEngines();
    const spec = stand.spec();
    expect(await failure(stand.engine.consoleLog(spec, signal()))).toMatchObject({ code: noSuchMachine });
    await stand.engine.create(spec, signal());
    expect(await stand.engine.consoleLog(spec, signal())).toBe("");
    stand.world.times.scheduleMs = 10_000;
    await stand.engine.start(spec, signal());
    expect(await stand.engine.consoleLog(spec, signal())).toBe("");
  });
});
