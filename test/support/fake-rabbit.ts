// The server side of AMQP 0-9-1, as much of it as the listener to notifications uses, with the errors of RabbitMQ 3.10 in
// its own words. What it does the real one is seen doing in test/openstack/notifications.test.ts.

import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { NotificationSettings } from "../../src/engines/openstack/settings/notifications.ts";
import { afterTest } from "./when-over.ts";

export interface FakeRabbitOptions {
  /** Certificate and key in PEM; undefined: without TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
}

interface Queue {
  readonly connection: Connection;
  readonly bindings: string[];
  consumerTag: string | undefined;
}

/** Ends after the test. It has the exchange "nova", and the user "lessor". */
export async function beginFakeRabbit(options: FakeRabbitOptions = {}): Promise<FakeRabbit> {
  const rabbit = new FakeRabbit(options);
  afterTest(() => rabbit.stop());
  await rabbit.start();
  return rabbit;
}

export class FakeRabbit {
  readonly exchanges = new Set(["nova"]);
  readonly queues = new Map<string, Queue>();
  password = "secret-of-rabbit";
  /** Takes connections, and says nothing. */
  isMute = false;
  /** What it proposes; it sends none itself. */
  heartbeatSeconds = 60;
  /** Rights to create queues. */
  mayConfigure = true;
  /** All connections since it was started. */
  connections = 0;
  acknowledged = 0;
  port = 0;
  readonly #open = new Set<Connection>();
  readonly #server: Server;

  constructor({ tls }: FakeRabbitOptions) {
    const take = (socket: Socket) => {
      this.connections++;
      const connection = new Connection(this, socket);
      this.#open.add(connection);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#open.delete(connection);
        for (const [name, queue] of this.queues) if (queue.connection === connection) this.queues.delete(name);
      });
    };
    this.#server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
    this.#server.on("tlsClientError", () => {});
  }

  async start(): Promise<void> {
    const listening = new Promise((resolve) => this.#server.once("listening", resolve));
    this.#server.listen(this.port, "127.0.0.1");
    await listening;
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.port = address.port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  /** All connections, without a word. */
  cut(): void {
    for (const one of this.#open) one.end();
  }

  /** How many listen. */
  get consumers(): number {
    return [...this.queues.values()].filter(({ consumerTag }) => consumerTag !== undefined).length;
  }

  /** Answers what was said while it was mute. */
  speak(): void {
    this.isMute = false;
    for (const one of this.#open) one.read(Buffer.alloc(0));
  }

  /** To the queues that are bound; how many have it. */
  publish(routingKey: string, body: Buffer | string): number {
    const bound = [...this.queues.values()].filter(
      ({ bindings, consumerTag }) =>
        consumerTag !== undefined && bindings.some((one) => `nova ${routingKey}`.startsWith(one.slice(0, -1))),
    );
    for (const { connection, consumerTag = "" } of bound)
      connection.deliver(consumerTag, routingKey, Buffer.from(body));
    return bound.length;
  }

  /** As an operator does: its consumer is told. */
  deleteQueues(): void {
    for (const { connection, consumerTag = "" } of this.queues.values()) {
      connection.method(1, 60, 30, shortText(consumerTag), byte(1));
    }
    this.queues.clear();
  }
}

/** The `notifications` of a region, for it. */
export function notificationsOf({ port }: Pick<FakeRabbit, "port">): NotificationSettings {
  const shown = `amqp://127.0.0.1:${port}`;
  return {
    brokers: [{ protocol: "amqp", hostname: "127.0.0.1", port, vhost: "", shown }],
    ...{ user: "lessor", password: "secret-of-rabbit", ca: undefined },
    ...{ exchange: "nova", topics: ["versioned_notifications"] },
  };
}

const FRAME_MAX = 131_072;

class Connection {
  readonly #rabbit: FakeRabbit;
  readonly #socket: Socket;
  #unread = Buffer.alloc(0);
  #delivered = 0n;

  constructor(rabbit: FakeRabbit, socket: Socket) {
    this.#rabbit = rabbit;
    this.#socket = socket;
    socket.on("data", (data: Buffer) => this.read(data));
  }

  end(): void {
    this.#socket.destroy();
  }

  deliver(consumerTag: string, routingKey: string, body: Buffer): void {
    this.#delivered++;
    this.method(
      1,
      60,
      60,
      shortText(consumerTag),
      long(this.#delivered),
      byte(0),
      shortText("nova"),
      shortText(routingKey),
    );
    this.#frame(2, 1, Buffer.concat([short(60), short(0), long(BigInt(body.length)), short(0)]));
    for (let at = 0; at < body.length; at += FRAME_MAX - 8) this.#frame(3, 1, body.subarray(at, at + FRAME_MAX - 8));
  }

  method(channel: number, classId: number, methodId: number, ...fields: Buffer[]): void {
    this.#frame(1, channel, Buffer.concat([short(classId), short(methodId), ...fields]));
  }

  #frame(type: number, channel: number, payload: Buffer): void {
    this.#socket.write(Buffer.concat([byte(type), short(channel), int(payload.length), payload, byte(0xce)]));
  }

  read(data: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, data]);
    if (this.#rabbit.isMute) return;
    if (this.#unread.subarray(0, 4).toString() === "AMQP") {
      this.#unread = this.#unread.subarray(8);
      this.method(0, 10, 10, byte(0), byte(9), int(0), longText("PLAIN"), longText("en_US"));
    }
    while (this.#unread.length >= 7) {
      const size = this.#unread.readUInt32BE(3);
      if (this.#unread.length < size + 8) return;
      const [type, channel] = [this.#unread.readUInt8(0), this.#unread.readUInt16BE(1)];
      const payload = this.#unread.subarray(7, 7 + size);
      this.#unread = this.#unread.subarray(size + 8);
      if (type === 1) this.#carryOut(channel, payload);
    }
  }

  #carryOut(channel: number, payload: Buffer): void {
    const called = `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`;
    const carryOut = this.#methods[called];
    if (carryOut === undefined) throw new Error(`the fake has no method ${called}`);
    carryOut(new Fields(payload.subarray(4)), channel);
  }

  /** By class and method. What needs no answer is tune-ok, and that an end was heard of. */
  readonly #methods: Readonly<Record<string, (fields: Fields, channel: number) => void>> = {
    "10.11": (fields) => {
      fields.skip(fields.int());
      fields.shortText();
      const text = "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN.";
      if (fields.longText() === `\0lessor\0${this.#rabbit.password}`) {
        this.method(0, 10, 30, short(2047), int(FRAME_MAX), short(this.#rabbit.heartbeatSeconds));
      } else this.method(0, 10, 50, short(403), shortText(text), short(0), short(0));
    },
    "10.31": () => {},
    "10.40": (fields) => {
      const vhost = fields.shortText();
      const text = shortText(`NOT_ALLOWED - vhost ${vhost} not found`);
      if (vhost === "/") this.method(0, 10, 41, shortText(""));
      else this.method(0, 10, 50, short(530), text, short(10), short(40));
    },
    "10.50": () => {
      this.method(0, 10, 51);
      this.#socket.end();
    },
    "10.51": () => {},
    "20.10": (_, channel) => this.method(channel, 20, 11, int(0)),
    "20.41": () => {},
    "40.10": (fields, channel) => {
      fields.skip(2);
      const exchange = fields.shortText();
      if (this.#rabbit.exchanges.has(exchange)) this.method(channel, 40, 11);
      else this.#refuse(channel, 404, `NOT_FOUND - no exchange '${exchange}' in vhost '/'`);
    },
    "50.10": (fields, channel) => {
      fields.skip(2);
      const queue = fields.shortText();
      const text = `ACCESS_REFUSED - access to queue '${queue}' in vhost '/' refused for user 'lessor'`;
      if (!this.#rabbit.mayConfigure) return this.#refuse(channel, 403, text);
      this.#rabbit.queues.set(queue, { connection: this, bindings: [], consumerTag: undefined });
      this.method(channel, 50, 11, shortText(queue), int(0), int(0));
    },
    "50.20": (fields, channel) => {
      fields.skip(2);
      const queue = this.#rabbit.queues.get(fields.shortText());
      queue?.bindings.push(`${fields.shortText()} ${fields.shortText()}`);
      this.method(channel, 50, 21);
    },
    "60.10": (_, channel) => this.method(channel, 60, 11),
    "60.20": (fields, channel) => {
      fields.skip(2);
      const queue = this.#rabbit.queues.get(fields.shortText());
      if (queue !== undefined) queue.consumerTag = `ctag-${crypto.randomUUID()}`;
      this.method(channel, 60, 21, shortText(queue?.consumerTag ?? ""));
    },
    "60.80": () => {
      this.#rabbit.acknowledged++;
    },
  };

  #refuse(channel: number, code: number, text: string): void {
    this.method(channel, 20, 40, short(code), shortText(text), short(0), short(0));
  }
}

class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  int(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  shortText(): string {
    return this.#text(this.#bytes.readUInt8(this.#at++));
  }

  longText(): string {
    return this.#text(this.int());
  }

  #text(length: number): string {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at).toString();
  }
}

const byte = (value: number) => Buffer.from([value]);

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

const shortText = (text: string) => Buffer.concat([byte(Buffer.byteLength(text)), Buffer.from(text)]);
const longText = (text: string) => Buffer.concat([int(Buffer.byteLength(text)), Buffer.from(text)]);
