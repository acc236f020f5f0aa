// One connection to a RabbitMQ, with a queue of our own that gets Nova's notifications. Used by listener.ts, and by
// check/notifications.ts.
//
// Invariant: nothing of it stays in the broker. The queue belongs to the connection, and while that stands it is bounded
// in messages, bytes and their age. The exchange is Nova's, and is never declared here.

import { readFileSync } from "node:fs";
import type { Channel, ChannelModel } from "amqplib";
import type { BrokerAddress, NotificationSettings } from "../settings/notifications.ts";

export interface Subscription {
  /** Resolves when it does not listen any more, with the reason. */
  readonly ended: Promise<string>;
  close(): void;
}

/** What could not be done. */
export type SubscriptionStep = "connect" | "sign-in" | "vhost" | "exchange" | "queue" | "binding";

/** Its message has no secret. */
export class SubscriptionError extends Error {
  override readonly name = "SubscriptionError";
  readonly step: SubscriptionStep;

  constructor(step: SubscriptionStep, message: string) {
    super(message);
    this.step = step;
  }
}

const HEARTBEAT_SECONDS = 20;
const DEADLINE_MS = 15_000;
/** How long a broker has to confirm the end. */
const LEAVE_MS = 1000;
/** How many messages are on their way at once: the rest waits in the queue. */
const PREFETCH = 20;

const queueOptions = {
  exclusive: true,
  autoDelete: true,
  durable: false,
  expires: 300_000,
  // A hint that is older is worth nothing: the next question to Nova has it.
  messageTtl: 60_000,
  maxLength: 1000,
  arguments: { "x-max-length-bytes": 8 * 2 ** 20 },
} as const;

/** Throws SubscriptionError, or the reason of `signal`, which also ends the subscription later. */
export async function subscribe(
  settings: NotificationSettings,
  broker: BrokerAddress,
  queue: string,
  onMessage: (body: Buffer) => void,
  signal: AbortSignal,
): Promise<Subscription> {
  const socket = new AbortController();
  let connection: ChannelModel | undefined;
  const leave = () => {
    // A broker that is asked to close does not log a lost connection. One that does not respond is left.
    connection?.close().catch(() => {});
    if (connection === undefined) socket.abort();
    else setTimeout(() => socket.abort(), LEAVE_MS).unref();
  };
  const late = setTimeout(() => socket.abort(), DEADLINE_MS);
  signal.addEventListener("abort", leave);
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  void ended.then(() => {
    signal.removeEventListener("abort", leave);
    leave();
  });
  let step: SubscriptionStep = "connect";
  try {
    signal.throwIfAborted();
    connection = await connect(settings, broker, socket.signal);
    onEnd(connection, end);
    const channel = await connection.createChannel();
    onEnd(channel, end);
    step = "exchange";
    await channel.checkExchange(settings.exchange);
    step = "queue";
    await channel.assertQueue(queue, queueOptions);
    step = "binding";
    for (const topic of settings.topics) await channel.bindQueue(queue, settings.exchange, `${topic}.*`);
    step = "queue";
    await channel.prefetch(PREFETCH);
    await channel.consume(queue, (message) => {
      if (message === null) return end("the queue was deleted");
      onMessage(message.content);
      channel.ack(message);
    });
    return { ended, close: () => end("closed") };
  } catch (error) {
    end("not begun");
    signal.throwIfAborted();
    if (error instanceof SubscriptionError) throw error;
    throw new SubscriptionError(step, reasonOf(error, settings));
  } finally {
    clearTimeout(late);
  }
}

async function connect(
  settings: NotificationSettings,
  { protocol, hostname, port, vhost }: BrokerAddress,
  signal: AbortSignal,
): Promise<ChannelModel> {
  // Only installations with notifications need it.
  const { connect: open } = await import("amqplib");
  const { user: username, password, ca } = settings;
  try {
    return await open(
      { protocol, hostname, port, username, password, vhost, heartbeat: HEARTBEAT_SECONDS },
      {
        noDelay: true,
        timeout: DEADLINE_MS,
        clientProperties: { product: "Lessor", connection_name: "lessor" },
        ...(protocol === "amqps" && ca !== undefined ? { ca: readFileSync(ca) } : {}),
        // Types of the library do not know this option of Node's sockets.
        ...{ signal },
      },
    );
  } catch (error) {
    if (signal.aborted) throw new SubscriptionError("connect", "no response within 15 seconds");
    const reason = reasonOf(error, settings);
    // The library does not pass on what the broker says of a virtual host.
    if (/Expected ConnectionOpenOk/.test(reason)) {
      throw new SubscriptionError("vhost", "the virtual host does not exist, or the user has no rights in it");
    }
    throw new SubscriptionError(/ACCESS.REFUSED/.test(reason) ? "sign-in" : "connect", reason);
  }
}

/** Without a listener for errors the process would end. */
function onEnd(one: ChannelModel | Channel, end: (reason: string) => void): void {
  one.on("error", (error: Error) => end(error.message));
  one.on("close", () => end("closed"));
}

function reasonOf(error: unknown, { password }: NotificationSettings): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const message = error instanceof Error && error.message !== "" ? error.message : code;
  return message.replaceAll(password, "…").slice(0, 300);
}
