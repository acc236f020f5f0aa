import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { certificatePath, keyPath } from "../../../../test/support/fake-incus/certificates.ts";
import { beginFakeRabbit, type FakeRabbit } from "../../../../test/support/fake-rabbit.ts";
import type { NotificationSettings } from "../settings/notifications.ts";
import { SubscriptionError, subscribe } from "./subscription.ts";

const password = "secret-of-rabbit";

function settingsFor(rabbit: Pick<FakeRabbit, "port">, change: Partial<NotificationSettings> = {}, vhost = "") {
  const protocol = change.ca === undefined ? ("amqp" as const) : ("amqps" as const);
  const broker = { protocol, hostname: "127.0.0.1", port: rabbit.port, vhost, shown: `${protocol}://rabbit` };
  const topics = ["versioned_notifications"];
  return { brokers: [broker], broker, user: "lessor", password, ca: undefined, exchange: "nova", topics, ...change };
}

function begin(settings: ReturnType<typeof settingsFor>, within = signal()) {
  const bodies: string[] = [];
  const subscribed = subscribe(settings, settings.broker, "lessor-q", (body) => bodies.push(body.toString()), within);
  return { bodies, subscribed };
}

const tlsOf = (name: "signed" | "server") => ({
  tls: { cert: readFileSync(certificatePath(name)), key: readFileSync(keyPath(name)) },
});

describe("a subscription", () => {
  it("hears what is sent to its topics, of any priority, and confirms each", async () => {
    const rabbit = await beginFakeRabbit();
    const { bodies, subscribed } = begin(settingsFor(rabbit, { topics: ["versioned_notifications", "more"] }));
    await subscribed;
    expect(rabbit.publish("versioned_notifications.info", "one")).toBe(1);
    expect(rabbit.publish("more.error", "x".repeat(400_000))).toBe(1);
    expect(rabbit.publish("notifications.info", "not for us")).toBe(0);
    await eventually(() => bodies).toEqual(["one", "x".repeat(400_000)]);
    await eventually(() => rabbit.acknowledged).toBe(2);
  });

  it("ends on request, with its queue", async () => {
    const rabbit = await beginFakeRabbit();
    const { close, ended } = await begin(settingsFor(rabbit)).subscribed;
    expect([...rabbit.queues.keys()]).toEqual(["lessor-q"]);
    close();
    expect(await ended).toBe("closed");
    await eventually(() => rabbit.queues.size).toBe(0);
  });

  it("ends with the signal", async () => {
    const rabbit = await beginFakeRabbit();
    const closing = new AbortController();
    const { ended } = await begin(settingsFor(rabbit), closing.signal).subscribed;
    closing.abort();
    await ended;
    await eventually(() => rabbit.queues.size).toBe(0);
  });

  it("ends when the connection is cut", async () => {
    const rabbit = await beginFakeRabbit();
    const { ended } = await begin(settingsFor(rabbit)).subscribed;
    rabbit.cut();
    expect(await ended).toMatch(/Unexpected close|ECONNRESET/);
  });

  it("ends when the broker sends no heartbeats any more", async () => {
    const rabbit = await beginFakeRabbit();
    rabbit.heartbeatSeconds = 1;
    const { ended } = await begin(settingsFor(rabbit)).subscribed;
    expect(await ended).toBe("Heartbeat timeout");
    await eventually(() => rabbit.queues.size).toBe(0);
  });

  it("ends, and leaves the broker, when its queue is deleted", async () => {
    const rabbit = await beginFakeRabbit();
    const { ended } = await begin(settingsFor(rabbit)).subscribed;
    rabbit.deleteQueues();
    expect(await ended).toBe("the queue was deleted");
  });

  it("trusts a broker whose certificate is of the CA, and no other", async () => {
    const ca = certificatePath("ca");
    const { bodies, subscribed } = begin(settingsFor(await beginFakeRabbit(tlsOf("signed")), { ca }));
    await subscribed;
    expect(bodies).toEqual([]);
    const other = settingsFor(await beginFakeRabbit(tlsOf("server")), { ca });
    expect(await failure(begin(other).subscribed)).toMatchObject({ step: "connect" });
  });
});

describe("a subscription that is not possible", () => {
  const refused = async (prepare: (rabbit: FakeRabbit) => ReturnType<typeof settingsFor>, within?: AbortSignal) => {
    const rabbit = await beginFakeRabbit();
    const error = await failure(begin(prepare(rabbit), within).subscribed);
    expect(error).toBeInstanceOf(SubscriptionError);
    expect(String(error)).not.toContain("secret");
    // Nothing is left open.
    await eventually(() => rabbit.queues.size).toBe(0);
    return error;
  };

  it("says that user or password are wrong, without either", async () => {
    expect(await refused((rabbit) => settingsFor(rabbit, { password: "another-secret" }))).toMatchObject({
      step: "sign-in",
      message: expect.stringContaining("ACCESS_REFUSED"),
    });
  });

  it("says that the virtual host does not exist", async () => {
    expect(await refused((rabbit) => settingsFor(rabbit, {}, "no%2Fne"))).toMatchObject({
      step: "vhost",
      message: expect.stringContaining("virtual host does not exist"),
    });
  });

  it("says that the exchange does not exist, and creates none", async () => {
    expect(await refused((rabbit) => settingsFor(rabbit, { exchange: "none" }))).toMatchObject({
      step: "exchange",
      message: expect.stringContaining("no exchange 'none'"),
    });
  });

  it("says that the user may not create a queue", async () => {
    const error = await refused((rabbit) => {
      rabbit.mayConfigure = false;
      return settingsFor(rabbit);
    });
    expect(error).toMatchObject({ step: "queue", message: expect.stringContaining("access to queue") });
  });

  it("says that nothing responds there", async () => {
    const error = await refused((rabbit) => ({ ...settingsFor(rabbit), broker: settingsFor({ port: 1 }).broker }));
    expect(error).toMatchObject({ step: "connect", message: expect.stringContaining("ECONNREFUSED") });
  });

  it("ends with the signal where a broker takes connections and says nothing", async () => {
    const rabbit = await beginFakeRabbit();
    rabbit.isMute = true;
    const closing = new AbortController();
    const { subscribed } = begin(settingsFor(rabbit), closing.signal);
    await eventually(() => rabbit.connections).toBe(1);
    closing.abort(new Error("over"));
    await expect(subscribed).rejects.toThrow("over");
  });
});
