// Nova's own notifications, over a real RabbitMQ: what others do with a server is heard of at once, whatever happens to the
// broker, and nothing is left in it. Changes are asked for once an hour here, so that they can be heard of only.

import { type ChannelModel, connect } from "amqplib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MachineSpec } from "../../src/engines/engine.ts";
import { checkCloud } from "../../src/engines/openstack/check/check-cloud.ts";
import { OpenStackEngine } from "../../src/engines/openstack/engine.ts";
import type { NotificationSettings } from "../../src/engines/openstack/settings/notifications.ts";
import type { OpenStackSettings } from "../../src/engines/openstack/settings/settings.ts";
import { faultsIn, lines } from "../support/check-stand.ts";
import { booted } from "../support/fake-openstack/engines.ts";
import { machineSpecOn } from "../support/machine-spec.ts";
import { afterTest } from "../support/when-over.ts";
import { engineSettings } from "./ground.ts";
import { type StartedLab, startLab } from "./lab/lab.ts";
import { queuesOf, rabbitOperator, rabbitUser } from "./lab/rabbit.ts";

let started: StartedLab;

beforeAll(async () => {
  started = await startLab({ bus: "rabbit", log: (line) => process.stderr.write(`lab: ${line}\n`) });
});
afterAll(() => started?.stop());

const soon = { timeout: 60_000, interval: 20 };
const ourQueues = async () => (await queuesOf(started.lab)).filter((name) => name.startsWith("lessor-"));

function settings(change: Partial<NotificationSettings> = {}): OpenStackSettings {
  const { lab } = started;
  const { hostname } = new URL(lab.url("compute"));
  const brokers = [{ protocol: "amqp" as const, hostname, port: 5672, vhost: "", shown: `amqp://${hostname}` }];
  const topics = ["versioned_notifications"];
  const notifications = { brokers, ...rabbitUser, ca: undefined, exchange: "nova", topics, ...change };
  const plain = engineSettings(lab, "visible");
  return { ...plain, pollSeconds: 3600, regions: plain.regions.map((region) => ({ ...region, notifications })) };
}

/** An engine that is watched, and a machine of it that is ready. */
async function begin() {
  const installation = crypto.randomUUID();
  const engine = new OpenStackEngine(settings(), installation);
  const spec = machineSpecOn("gpu1", { vcpus: 1, memoryGib: 1, storageGb: 1 });
  afterTest(async () => {
    await engine.close();
    const broom = new OpenStackEngine(settings(), installation);
    await broom.remove(spec, AbortSignal.timeout(60_000));
    await broom.close();
  });
  const heard: string[] = [];
  engine.watch((id) => heard.push(id));
  await expect.poll(ourQueues, soon).toHaveLength(1);
  await booted(engine, spec);
  return { engine, spec, heard };
}

async function serverId({ id }: MachineSpec): Promise<string> {
  const { body } = await started.lab.request("compute", `/servers?name=lessor-${id}`);
  return body.servers[0].id;
}

/** Others do this with the machine's server, behind Lessor's back; returns when it is heard of, and after how long. */
async function hearOf(spec: MachineSpec, heard: string[], path: string, request: object): Promise<number> {
  heard.length = 0;
  const began = performance.now();
  const { status } = await started.lab.request("compute", path, request);
  expect(status).toBeLessThan(300);
  await expect.poll(() => heard, soon).toContain(spec.id);
  return performance.now() - began;
}

const act = (body: object) => ({ method: "POST", body }) as const;

it("hears at once what others do with a server, and leaves nothing in the broker", async () => {
  const { engine, spec, heard } = await begin();
  const path = `/servers/${await serverId(spec)}`;
  const signal = AbortSignal.timeout(60_000);
  const stopped = await hearOf(spec, heard, `${path}/action`, act({ "os-stop": null }));
  await expect.poll(async () => (await engine.inspect(spec, signal))?.power, soon).toBe("halted");
  const deleted = await hearOf(spec, heard, path, { method: "DELETE" });
  await expect.poll(() => engine.inspect(spec, signal), soon).toBeUndefined();
  process.stdout.write(
    `heard of a stop after ${Math.round(stopped)} ms, of a delete after ${Math.round(deleted)} ms\n`,
  );
  await engine.close();
  await expect.poll(ourQueues, soon).toEqual([]);
});

it("is verified by the check, which names what is missing", async () => {
  const check = (change: Partial<NotificationSettings>, probe?: { image: undefined; deadlineSeconds: number }) =>
    lines(
      checkCloud(
        settings(change),
        { probe, path: process.env.PATH ?? "", onProgress: () => {} },
        AbortSignal.timeout(200_000),
      ),
    );
  const told = await check({}, { image: undefined, deadlineSeconds: 120 });
  expect(told).toContainEqual(expect.stringMatching(/^ok notifications at .*the exchange nova can be read/));
  expect(told).toContainEqual("ok notifications: arrive while a server changes");
  const wrong: readonly [Partial<NotificationSettings>, RegExp][] = [
    [{ password: "secret-typo" }, /^warning notifications at .*ACCESS_REFUSED.* -> correct user or password_file/],
    [{ exchange: "none" }, /^warning notifications at .*no exchange 'none'.* -> correct exchange/],
    [
      { brokers: settings().regions[0]?.notifications?.brokers.map((one) => ({ ...one, vhost: "none" })) ?? [] },
      /virtual host/,
    ],
    [{ exchange: "amq.topic" }, /access to exchange 'amq\.topic'.* -> .*read the exchange/],
  ];
  for (const [change, says] of wrong) {
    const faults = faultsIn(await check(change));
    expect(faults).toContainEqual(expect.stringMatching(says));
    expect(faults.join("\n")).not.toContain("secret-typo");
  }
  await expect.poll(ourQueues, soon).toEqual([]);
});

it("goes through a flood of others' notifications and of garbage, and through a restart of RabbitMQ", async () => {
  const { spec, heard } = await begin();
  const path = `/servers/${await serverId(spec)}/action`;
  const connection = await connectAsOperator();
  const channel = await connection.createConfirmChannel();
  heard.length = 0;
  const foreign = { event_type: "instance.update", payload: { "nova_object.data": foreignServer } };
  const bodies = [JSON.stringify({ "oslo.message": JSON.stringify(foreign) }), "{", "\0".repeat(2 ** 21)].map((one) =>
    Buffer.from(one),
  );
  for (let sent = 0; sent < 10_000; sent++) {
    channel.publish(
      "nova",
      "versioned_notifications.info",
      bodies[sent % 100 < 98 ? 0 : (sent % 100) - 97] ?? Buffer.alloc(0),
    );
  }
  await channel.waitForConfirms();
  await connection.close();
  const stopped = await hearOf(spec, heard, path, act({ "os-stop": null }));
  expect([...new Set(heard)]).toEqual([spec.id]);
  await started.lab.kill("rabbitmq");
  await started.lab.start("rabbitmq");
  await expect.poll(ourQueues, soon).toHaveLength(1);
  const woken = await hearOf(spec, heard, path, act({ "os-start": null }));
  process.stdout.write(
    `behind a flood after ${Math.round(stopped)} ms, after a restart after ${Math.round(woken)} ms\n`,
  );
});

const foreignServer = { tenant_id: "0".repeat(32), display_name: `lessor-${crypto.randomUUID()}`, state: "active" };

function connectAsOperator(): Promise<ChannelModel> {
  const { hostname } = new URL(started.lab.url("compute"));
  const { user: username, password } = rabbitOperator;
  return connect({ protocol: "amqp", hostname, port: 5672, username, password });
}
