// Whether Nova's notifications can be read: at each RabbitMQ of the settings, and of the test instance. All that is wrong
// is a warning, because changes are asked for too.

import { type Finding, ok, warning } from "../../check/finding.ts";
import { hintIn } from "../notifications/message.ts";
import {
  type Subscription,
  SubscriptionError,
  type SubscriptionStep,
  subscribe,
} from "../notifications/subscription.ts";
import type { BrokerAddress, NotificationSettings } from "../settings/notifications.ts";
import { isSafe } from "./access.ts";
import { called, type Subject } from "./subject.ts";

export async function* checkNotifications(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { notifications } = subject.region.settings;
  for (const broker of notifications?.brokers ?? []) {
    const what = called(subject, `notifications at ${broker.shown}`);
    if (!isSafe(new URL(broker.shown))) {
      yield warning(
        what,
        "is not encrypted: who can read the traffic gets the password, and metadata of servers",
        "give RabbitMQ TLS, and set amqps:// and ca",
      );
    }
    try {
      const { close } = await open(subject, broker, () => {}, signal);
      close();
      yield ok(what, `the exchange ${notifications?.exchange} can be read; the test instance verifies that Nova sends`);
    } catch (error) {
      if (!(error instanceof SubscriptionError)) throw error;
      yield warning(what, error.message, advice[error.step]);
    }
  }
}

/** The findings about a test instance, and then whether Nova has told of it. */
export async function* withNotifications(
  subject: Subject,
  findings: AsyncGenerator<Finding>,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  let heard = 0;
  const count = (body: Buffer) => {
    if (hintIn(body, subject.project.id) !== undefined) heard++;
  };
  const subscription = await openAny(subject, count, signal);
  if (subscription === undefined) return yield* findings;
  let isCreated = false;
  try {
    for await (const finding of findings) {
      isCreated ||= finding.verdict === "ok";
      yield finding;
    }
  } finally {
    subscription.close();
  }
  const what = called(subject, "notifications");
  if (heard > 0) return yield ok(what, "arrive while a server changes");
  if (!isCreated) return;
  yield warning(
    what,
    "none arrived while the test instance was created and removed",
    "in nova.conf, set driver = messagingv2 in [oslo_messaging_notifications], and check exchange and topics",
  );
}

function open(
  { cloud, region }: Subject,
  broker: BrokerAddress,
  onMessage: (body: Buffer) => void,
  signal: AbortSignal,
): Promise<Subscription> {
  const { notifications } = region.settings;
  if (notifications === undefined) throw new Error("BUG: a region without notifications");
  return subscribe(notifications, broker, `${cloud.owner}-${crypto.randomUUID()}`, onMessage, signal);
}

/** Undefined: at none. */
async function openAny(
  subject: Subject,
  onMessage: (body: Buffer) => void,
  signal: AbortSignal,
): Promise<Subscription | undefined> {
  const { brokers }: Pick<NotificationSettings, "brokers"> = subject.region.settings.notifications ?? { brokers: [] };
  for (const broker of brokers) {
    try {
      return await open(subject, broker, onMessage, signal);
    } catch (error) {
      // The step before has said why.
      if (!(error instanceof SubscriptionError)) throw error;
    }
  }
  return undefined;
}

const advice: Readonly<Record<SubscriptionStep, string>> = {
  connect: "check urls and ca of notifications, RabbitMQ, and the network between",
  "sign-in": "correct user or password_file, or rabbitmqctl add_user",
  vhost: "correct the path in urls, or rabbitmqctl set_permissions -p <vhost>",
  exchange: "correct exchange: control_exchange of nova.conf, or start Nova with notifications once",
  queue: "rabbitmqctl set_permissions: the user needs to configure, write and read lessor-.*",
  binding: "rabbitmqctl set_permissions: the user needs to read the exchange",
};
