import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import type { FakeSession } from "../../../test/support/fake-incus/session.ts";
import { beginStand } from "../../../test/support/fake-incus/stand.ts";
import { outputOf } from "./guest-output.ts";
import { instanceName } from "./labels.ts";

const kill = { command: "signal", signal: 9 };

/** A guest in which a command does what `runs` does. */
async function begin(runs: (session: FakeSession) => void, mostMs?: number) {
  const { fake, cluster } = await beginStand();
  const id = crypto.randomUUID();
  fake.world.addInstance(instanceName(id), { status: "Running" });
  fake.onSession = runs;
  const asked = { command: ["/bin/true"], mostBytes: 8, ...(mostMs !== undefined && { mostMs }) };
  const output = async (until = signal()) => (await outputOf(cluster, id, asked, until))?.toString();
  return { fake, output, told: () => fake.sessions[0]?.told };
}

describe("what a command prints", () => {
  it("is all there, in as many pieces as it comes, and its operation ends", async () => {
    const { fake, output } = await begin((session) => {
      session.data?.sendBytes(Buffer.from("abcd"));
      session.print("ef\n");
    });
    expect(await output()).toBe("abcdef\r\n");
    await eventually(() => fake.operations.running()).toEqual([]);
  });

  it("is nothing where it prints nothing", async () => {
    const { output } = await begin((session) => session.print(""));
    expect(await output()).toBe("");
  });

  it("is what came until its connection was lost", async () => {
    const { output } = await begin(({ data, control }) => {
      data?.sendBytes(Buffer.from("half"));
      // Before that has gone out there is nothing to lose.
      setImmediate(() => [data, control].map((socket) => socket?.close()));
    });
    expect(await output()).toBe("half");
  });

  it("is not taken where it is too long, and a command without an end is killed", async () => {
    let stop = false;
    const { output, told, fake } = await begin(({ data }) => {
      const more = () => {
        data?.sendBytes(Buffer.alloc(1000, "x"));
        if (!stop) setImmediate(more);
      };
      more();
    });
    expect(await output()).toBeUndefined();
    await eventually(told).toEqual([kill]);
    stop = true;
    await eventually(() => fake.operations.running()).toEqual([]);
  });
});

describe("a command that never ends", () => {
  it("is killed at its deadline", async () => {
    // Long enough to connect on a busy machine.
    const { output, told, fake } = await begin(() => {}, 1000);
    expect(await output()).toBeUndefined();
    await eventually(told).toEqual([kill]);
    await eventually(() => fake.operations.running()).toEqual([]);
  });

  it("is killed when its caller gives up, with the caller's reason", async () => {
    const { output, told } = await begin(() => {});
    const caller = new AbortController();
    const call = failure(output(caller.signal));
    await eventually(() => told() !== undefined).toBe(true);
    const reason = new Error("enough");
    caller.abort(reason);
    expect(await call).toBe(reason);
  });
});

it("a session that is never connected is given up at the deadline", async () => {
  const { fake, output } = await begin(() => {}, 100);
  fake.faults.add("GET", /\/websocket$/, { silence: true }, 2);
  expect(await output()).toBeUndefined();
});

it("a cluster that rejects the command is an error", async () => {
  const { fake, output } = await begin(() => {});
  fake.faults.add("POST", /\/exec$/, { fail: { status: 400, error: "Instance is not running" } });
  expect(await failure(output())).toMatchObject({ name: "ApiError", message: "Instance is not running" });
});
