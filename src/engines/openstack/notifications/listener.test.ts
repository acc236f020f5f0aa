import { describe, expect, it, vi } from "vitest";
import { eventually } from "../../../../test/support/engine-calls.ts";
import { beginFakeRabbit, type FakeRabbit } from "../../../../test/support/fake-rabbit.ts";
import { enveloped, versioned } from "../../../../test/support/notification-bodies.ts";
import { afterTest } from "../../../../test/support/when-over.ts";
import { NotificationListener } from "./listener.ts";

const topic = "versioned_notifications.info";
const [first, second] = ["01234567-89ab-7def-8123-456789abcdef", "01234567-89ab-7def-8123-456789abcde0"];

function about(machineId: string, state = "stopped", project = "p1"): Buffer {
  return enveloped(versioned({ name: `lessor-${machineId}`, project, state }));
}

/** A listener whose pauses the test ends. */
function begin(...rabbits: readonly FakeRabbit[]) {
  const hints: string[] = [];
  const pauses: number[] = [];
  const going: (() => void)[] = [];
  const state = { breaks: 0, keystone: true };
  const brokers = rabbits.map(({ port }) => ({
    ...{ protocol: "amqp" as const, hostname: "127.0.0.1", port, vhost: "", shown: `amqp://127.0.0.1:${port}` },
  }));
  const access = { user: "lessor", password: "secret-of-rabbit", ca: undefined };
  const listener = new NotificationListener({
    settings: { brokers, ...access, exchange: "nova", topics: ["versioned_notifications"] },
    owner: "lessor-i-1",
    project: async () => {
      if (!state.keystone) throw new Error("Keystone does not respond");
      return "p1";
    },
    onHint: ({ machineId, status }) => hints.push(`${machineId} ${status}`),
    onBreak: () => state.breaks++,
    pause: (milliseconds, within) => {
      pauses.push(milliseconds);
      return new Promise((resolve, reject) => {
        within.addEventListener("abort", () => reject(within.reason));
        going.push(() => resolve(undefined));
      });
    },
  });
  afterTest(() => listener.close());
  const connected = () => eventually(() => listener.isConnected).toBe(true);
  /** It is pausing, and goes on. */
  const goOn = async () => {
    await eventually(() => going.length).toBe(1);
    going.pop()?.();
  };
  return { listener, hints, pauses, state, connected, goOn };
}

describe("a listener to notifications", () => {
  it("tells of changed machines of the project, and of nothing else", async () => {
    const rabbit = await beginFakeRabbit();
    const { hints, connected, state } = begin(rabbit);
    await connected();
    expect(state.breaks).toBe(1);
    rabbit.publish(topic, about(second, "stopped", "p2"));
    rabbit.publish(topic, "garbage of lessor-");
    rabbit.publish(topic, about(first));
    await eventually(() => hints).toEqual([`${first} SHUTOFF`]);
    await eventually(() => rabbit.acknowledged).toBe(3);
  });

  it("goes through a flood of notifications about others, and through garbage of a megabyte", async () => {
    const rabbit = await beginFakeRabbit();
    const { hints, connected } = begin(rabbit);
    await connected();
    const foreign = about(second, "active", "p2");
    for (let sent = 0; sent < 3000; sent++) rabbit.publish(topic, foreign);
    rabbit.publish(topic, Buffer.alloc(2 ** 20, "lessor-"));
    rabbit.publish(topic, about(first));
    await eventually(() => hints).toEqual([`${first} SHUTOFF`]);
    await eventually(() => rabbit.acknowledged).toBe(3002);
  });

  it("passes on one hint a second of a machine, the last one too, and does not hold back others", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    afterTest(() => vi.useRealTimers());
    const bodies = { hear: (_: Buffer) => {} };
    const hints: string[] = [];
    const listener = new NotificationListener({
      settings: {
        brokers: [{ protocol: "amqp", hostname: "h", port: 1, vhost: "", shown: "amqp://h" }],
        ...{ user: "u", password: "p", ca: undefined, exchange: "nova", topics: ["t"] },
      },
      owner: "lessor-i-1",
      project: async () => "p1",
      onHint: ({ machineId, status }) => hints.push(`${machineId} ${status}`),
      onBreak: () => {},
      subscribe: async (_settings, _broker, _queue, onMessage) => {
        bodies.hear = onMessage;
        return { ended: new Promise(() => {}), close: () => {} };
      },
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(listener.isConnected).toBe(true);
    for (const state of ["building", "active", "stopped"]) bodies.hear(about(first, state));
    bodies.hear(about(second, "active"));
    expect(hints).toEqual([`${first} BUILD`, `${second} ACTIVE`]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(hints.slice(2)).toEqual([`${first} SHUTOFF`]);
    await vi.advanceTimersByTimeAsync(1000);
    bodies.hear(about(first, "error"));
    expect(hints.slice(3)).toEqual([`${first} ERROR`]);
    bodies.hear(about(first, "active"));
    listener.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(hints).toHaveLength(4);
  });

  it("connects again when the connection is lost, and says both times that changes might have been missed", async () => {
    const rabbit = await beginFakeRabbit();
    const { hints, connected, state, goOn, listener } = begin(rabbit);
    await connected();
    rabbit.cut();
    await eventually(() => listener.isConnected).toBe(false);
    expect(state.breaks).toBe(2);
    await goOn();
    await connected();
    expect(state.breaks).toBe(3);
    // Nothing is left of the earlier connection.
    expect(rabbit.queues.size).toBe(1);
    rabbit.publish(topic, about(first));
    await eventually(() => hints).toEqual([`${first} SHUTOFF`]);
  });

  it("connects when the broker is there again, and has Nova's exchange, and takes the password", async () => {
    const rabbit = await beginFakeRabbit();
    await rabbit.stop();
    const { connected, goOn, state, pauses } = begin(rabbit);
    await eventually(() => pauses).toEqual([1000]);
    await rabbit.start();
    rabbit.exchanges.clear();
    await goOn();
    await eventually(() => pauses.length).toBe(2);
    rabbit.exchanges.add("nova");
    rabbit.password = "another-secret";
    await goOn();
    await eventually(() => pauses.length).toBe(3);
    rabbit.password = "secret-of-rabbit";
    state.keystone = false;
    await goOn();
    await eventually(() => pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(state.breaks).toBe(0);
    state.keystone = true;
    await goOn();
    await connected();
  });

  it("pauses longer after each failure, up to a minute, and tries the brokers in turn", async () => {
    const rabbits = [await beginFakeRabbit(), await beginFakeRabbit()];
    for (const one of rabbits) one.password = "another-secret";
    const { goOn, pauses } = begin(...rabbits);
    for (let tried = 0; tried < 8; tried++) await goOn();
    await eventually(() => pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(rabbits.map(({ connections }) => connections)).toEqual([5, 4]);
  });

  it("has a new queue when its own is deleted", async () => {
    const rabbit = await beginFakeRabbit();
    const { connected, goOn, listener } = begin(rabbit);
    await connected();
    const [queue = ""] = rabbit.queues.keys();
    expect(queue).toMatch(/^lessor-i-1-/);
    rabbit.deleteQueues();
    await eventually(() => listener.isConnected).toBe(false);
    await goOn();
    await connected();
    expect([...rabbit.queues.keys()]).not.toContain(queue);
  });

  it("leaves nothing in the broker when it is closed", async () => {
    const rabbit = await beginFakeRabbit();
    const { connected, listener } = begin(rabbit);
    await connected();
    listener.close();
    await eventually(() => rabbit.queues.size).toBe(0);
  });
});
