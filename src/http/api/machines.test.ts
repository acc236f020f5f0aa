import { describe, expect, it } from "vitest";
import { EngineError, hostUnreachable, noSuchMachine } from "../../engines/engine.ts";
import { states } from "../../rules/lifecycle.ts";
import { isRefusal, responseForError } from "../errors/response.ts";
import { createMachines, type MachineEngine, type MachineOf, type Terminal } from "./machines.ts";

const instance: MachineOf = { id: "one", host: "h1", engine: "metal", state: "active" };
const shell = { kind: "shell", columns: 80, rows: 24 } as const;
const open = new AbortController().signal;

const logged: unknown[] = [];
const log = { warn: (...line: unknown[]) => void logged.push(line) };

/** The machines of one engine that does this. */
function machinesOf(does: Partial<MachineEngine>, patience?: number) {
  const engine: MachineEngine = { consoleLog: never, openTerminal: never, hosts: never, identity: never, ...does };
  return createMachines(new Map([["metal", engine]]), log, patience);
}

/** As an engine that neither answers nor heeds its signal. */
const never = () => new Promise<never>(() => {});
const failing = (error: Error) => () => Promise.reject(error);

/** The wire code of what it is refused with. */
async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.fail("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!isRefusal(error)) throw error;
  return responseForError(error, "otherwise", "id").body.error.code;
}

function terminal(onClose: () => void): Terminal {
  return { onData() {}, onEnd() {}, write() {}, unread: () => 0, resize() {}, close: onClose };
}

describe("what a machine wrote to its console", () => {
  it("is what its engine says, asked for the machine on its host", async () => {
    const machines = machinesOf({ consoleLog: async ({ id, host }) => `${id} on ${host}` });
    expect(await machines.consoleLog(instance, open)).toBe("one on h1");
  });

  it("is nothing while the machine is not made yet, and refused where it should be there", async () => {
    const machines = machinesOf({ consoleLog: failing(new EngineError("unavailable", noSuchMachine, "None.")) });
    expect(await machines.consoleLog({ ...instance, state: "booting" }, open)).toBe("");
    expect(await refused(machines.consoleLog(instance, open))).toBe("global/conflict");
  });

  it("is refused for what is being removed or is gone, without asking an engine", async () => {
    const machines = machinesOf({ consoleLog: async () => "of somebody else" });
    const gone = async (state: MachineOf["state"]) =>
      machines.consoleLog({ ...instance, state }, open).then(
        () => false,
        () => true,
      );
    const refusing = await Promise.all(states.map(gone));
    expect(states.filter((_, index) => refusing[index])).toEqual(["terminating", "terminated"]);
    expect(await refused(machines.consoleLog({ ...instance, state: "terminated" }, open))).toBe("global/conflict");
  });

  it.each([
    ["whose host does not answer", new EngineError("unavailable", hostUnreachable, "Host h1 does not answer.")],
    ["whose engine fails in a way of its own", new Error("connect ECONNREFUSED /run/engine.socket")],
  ])("is unreachable of one %s, and only the log says why", async (_, error) => {
    logged.length = 0;
    const machines = machinesOf({ consoleLog: failing(error) });
    expect(await refused(machines.consoleLog(instance, open))).toBe("global/machine-unreachable");
    expect(logged).toEqual([[{ err: error, instance_id: "one", engine: "metal" }, "machine unreachable"]]);
  });

  it("is unreachable where its engine is not in the settings any more", async () => {
    const machines = createMachines(new Map(), log);
    expect(await refused(machines.consoleLog(instance, open))).toBe("global/machine-unreachable");
  });

  it("is refused with the engine's own sentence where that will never work", async () => {
    const machines = machinesOf({ consoleLog: failing(new EngineError("refused", "no-console", "It keeps none.")) });
    await expect(machines.consoleLog(instance, open)).rejects.toMatchObject({
      kind: "conflict",
      details: { message: "It keeps none." },
    });
  });

  it("is waited for no longer than the engine may take, also where that does not heed its signal", async () => {
    expect(await refused(machinesOf({}, 5).consoleLog(instance, open))).toBe("global/machine-unreachable");
  });

  it("is given up when the server stops", async () => {
    const stop = new AbortController();
    const asked = machinesOf({}).consoleLog(instance, stop.signal);
    stop.abort();
    expect(await refused(asked)).toBe("global/unavailable");
    expect(await refused(machinesOf({}).consoleLog(instance, stop.signal))).toBe("global/unavailable");
  });
});

describe("many who ask at once", () => {
  it("for one instance cost its engine one question, and the next costs another", async () => {
    const answers: ((text: string) => void)[] = [];
    const machines = machinesOf({ consoleLog: () => new Promise((resolve) => answers.push(resolve)) });
    const asked = [1, 2, 3].map(() => machines.consoleLog(instance, open));
    expect(answers).toHaveLength(1);
    answers[0]?.("all");
    expect(await Promise.all(asked)).toEqual(["all", "all", "all"]);
    const next = machines.consoleLog(instance, open);
    answers[1]?.("anew");
    expect(await next).toBe("anew");
  });

  it("for machines that do not answer keep no more than 32 requests, and then others are served", async () => {
    const machines = machinesOf({ consoleLog: ({ id }) => (id === "good" ? Promise.resolve("up") : never()) }, 20);
    const stuck = Array.from({ length: 32 }, (_, at) => machines.consoleLog({ ...instance, id: `dead-${at}` }, open));
    const ended = Promise.allSettled(stuck);
    expect(await refused(machines.consoleLog({ ...instance, id: "good" }, open))).toBe("global/unavailable");
    await ended;
    expect(await machines.consoleLog({ ...instance, id: "good" }, open)).toBe("up");
  });
});

describe("a terminal", () => {
  it("is opened by the engine, with the size that was asked for", async () => {
    const asked: unknown[] = [];
    const session = terminal(() => {});
    const machines = machinesOf({
      openTerminal: async (machine, order) => {
        asked.push(machine, order);
        return session;
      },
    });
    expect(await machines.openTerminal(instance, shell, open)).toBe(session);
    expect(asked).toEqual([{ id: "one", host: "h1" }, shell]);
  });

  it.each([noSuchMachine, "not-running"])("is refused for a machine that does not run (%s)", async (code) => {
    const machines = machinesOf({ openTerminal: failing(new EngineError("unavailable", code, "No.")) });
    for (const state of ["booting", "stopped", "active"] as const) {
      expect(await refused(machines.openTerminal({ ...instance, state }, shell, open))).toBe("global/conflict");
    }
  });

  it("that opens when nobody waits any more is closed", async () => {
    const opened = Promise.withResolvers<Terminal>();
    const closed = Promise.withResolvers<void>();
    const machines = machinesOf({ openTerminal: () => opened.promise }, 5);
    expect(await refused(machines.openTerminal(instance, shell, open))).toBe("global/machine-unreachable");
    opened.resolve(terminal(closed.resolve));
    await closed.promise;
  });
});

describe("a host that is asked whether it answers", () => {
  const host = { name: "gpu-1", engine: "metal" };
  const hosts = (available: boolean) => async () => [
    { name: "gpu-0", available: true },
    { name: "gpu-1", available },
  ];

  it("is identified by itself, or by its engine where hosts have no identity", async () => {
    const identity = async (_: AbortSignal, name?: string) => `pool of ${name ?? "all"}`;
    const own = machinesOf({ hosts: hosts(true), identity, worlds: ["gpu-0", "gpu-1"] });
    expect(await own.identityOf(host)).toEqual({ identity: "pool of gpu-1", ofHost: true });
    const shared = machinesOf({ hosts: hosts(true), identity });
    expect(await shared.identityOf(host)).toEqual({ identity: "pool of all", ofHost: false });
  });

  it("does not answer where its engine does not reach it, fails, takes too long or is unknown", async () => {
    const identity = async () => "pool";
    expect(await machinesOf({ hosts: hosts(false), identity }).identityOf(host)).toBeUndefined();
    expect(await machinesOf({ hosts: async () => [], identity }).identityOf(host)).toBeUndefined();
    expect(await machinesOf({ hosts: failing(new Error("no")), identity }).identityOf(host)).toBeUndefined();
    expect(await machinesOf({ hosts: hosts(true) }, 20).identityOf(host)).toBeUndefined();
    expect(await machinesOf({ identity }).identityOf({ ...host, engine: "other" })).toBeUndefined();
  });
});
