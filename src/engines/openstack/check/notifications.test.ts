import { describe, expect, it } from "vitest";
import { faultsIn, lines } from "../../../../test/support/check-stand.ts";
import { beginCloudCheckStand } from "../../../../test/support/cloud-check-stand.ts";
import { beginFakeRabbit, type FakeRabbit, notificationsOf } from "../../../../test/support/fake-rabbit.ts";
import { enveloped, versioned } from "../../../../test/support/notification-bodies.ts";
import type { NotificationSettings } from "../settings/notifications.ts";
import { checkCloud } from "./check-cloud.ts";
import { checkNotifications } from "./notifications.ts";

async function check(rabbit: FakeRabbit, change: Partial<NotificationSettings> = {}) {
  const stand = await beginCloudCheckStand();
  return stand.run(checkNotifications, { region: { notifications: { ...notificationsOf(rabbit), ...change } } });
}

describe("the check of notifications", () => {
  it("says that they can be read, and leaves no queue", async () => {
    const rabbit = await beginFakeRabbit();
    expect(await check(rabbit)).toEqual([
      expect.stringMatching(/^ok notifications at amqp:\/\/127\.0\.0\.1:\d+: the exchange nova can be read/),
    ]);
    await expect.poll(() => rabbit.queues.size).toBe(0);
  });

  it("says nothing where none are configured", async () => {
    expect(await (await beginCloudCheckStand()).run(checkNotifications)).toEqual([]);
  });

  it.each<[string, (rabbit: FakeRabbit) => Partial<NotificationSettings>, RegExp]>([
    ["a wrong password", () => ({ password: "secret-typo" }), /ACCESS_REFUSED.* -> correct user or password_file/],
    ["a missing exchange", () => ({ exchange: "none" }), /no exchange 'none'.* -> correct exchange: control_exchange/],
    [
      "a missing right",
      (rabbit) => {
        rabbit.mayConfigure = false;
        return {};
      },
      /access to queue.* -> rabbitmqctl set_permissions/,
    ],
    [
      "a virtual host that does not exist",
      (rabbit) => ({ brokers: notificationsOf(rabbit).brokers.map((one) => ({ ...one, vhost: "none" })) }),
      /virtual host does not exist.* -> correct the path in urls/,
    ],
    [
      "nothing that responds, and no encryption",
      () => ({
        brokers: [{ protocol: "amqp", hostname: "127.0.0.1", port: 1, vhost: "", shown: "amqp://rabbit:1" }],
      }),
      /is not encrypted.*-> give RabbitMQ TLS.*\n.*ECONNREFUSED.* -> check urls and ca of notifications/,
    ],
  ])("names what is wrong, without the password: %s", async (_, prepare, says) => {
    const rabbit = await beginFakeRabbit();
    const told = (await check(rabbit, prepare(rabbit))).join("\n");
    expect(told).toMatch(says);
    expect(told).toMatch(/^warning/);
    expect(told).not.toContain("secret");
  });

  it.each([
    ["tells that they arrive", true, "ok notifications: arrive while a server changes"],
    [
      "tells that none arrive",
      false,
      expect.stringMatching(/^warning notifications: none arrived .* -> in nova\.conf/),
    ],
  ])("of the test instance it %s", async (_, isSent, says) => {
    const rabbit = await beginFakeRabbit();
    const stand = await beginCloudCheckStand();
    const { id: project } = stand.stand.project;
    const body = enveloped(versioned({ name: `lessor-${crypto.randomUUID()}`, project }));
    const findings = checkCloud(
      stand.settings({ region: { notifications: notificationsOf(rabbit) } }),
      {
        probe: { image: undefined, deadlineSeconds: 10 },
        path: "",
        onProgress: () => {
          if (isSent) rabbit.publish("versioned_notifications.info", body);
        },
      },
      AbortSignal.timeout(20_000),
    );
    const told = await lines(findings);
    expect(told.at(-1)).toEqual(says);
    expect(faultsIn(told)).toHaveLength(isSent ? 0 : 1);
  });
});
