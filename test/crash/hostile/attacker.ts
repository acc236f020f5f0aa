// One attacker as a process of its own, so that what it takes of a core is not taken from who measures. Started by
// waits.ts with its order as JSON in the arguments; prints what it did, as JSON, when its time is over.
// It comes from loopback addresses of its own (127.0.0.66 and following), because limits of addresses are part of the defense.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface AttackOrder {
  readonly attack: AttackName;
  readonly host: string;
  readonly port: number;
  /** A valid one. Attacks of which the defense is for clients without a token do not use it. */
  readonly token: string;
  /** With a spend limit of a cent. */
  readonly limitedToken: string;
  readonly deadWebhooks: readonly string[];
  readonly connections: number;
  /** From how many addresses. */
  readonly addresses: number;
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  readonly seconds: number;
}

export interface AttackDone {
  readonly opened: number;
  readonly sent: number;
  /** How often each status came back. */
  readonly statuses: Readonly<Record<string, number>>;
}

interface Attack {
  /** What one connection writes, by its number. */
  readonly text: (order: AttackOrder, index: number) => string;
  /** Whether it writes that again in each round; otherwise once, and leaves the rest owing. */
  readonly repeats: boolean;
}

const mebibyte = 1024 * 1024;
/** The most a connection that a server ended is opened anew in one round, of all together. */
const opensPerRound = 10;

const message = (line: string, headers: readonly string[], body = "") =>
  [`${line} HTTP/1.1`, "Host: x", ...headers, "", body].join("\r\n");
const authorized = ({ token }: AttackOrder) => `Authorization: Bearer ${token}`;
const unfinished = (line: string, headers: readonly string[], length: number) =>
  message(line, [...headers, `Content-Length: ${length}`], " ".repeat(length - 1));
const signIn = (length: number) => unfinished("POST /console/session", ["X-Lessor-Console: 1"], length);
const list = "/api/vm_marketplace/instances";

/** An MCP call with so many arguments. */
function call(count: number): string {
  const input = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
  const params = { name: "list_instances", arguments: input };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}
const [manyArguments, asManyAsFit] = [call(80_000), call(5500)];
/** A body of almost a mebibyte whose keys are all different, which a parser takes ten times as long for as for long texts. */
const manyKeys = `{${Array.from({ length: 90_000 }, (_, index) => `"${index}x":0`).join(",")}}`;

const attacks = {
  "queries with thousands of parameters": {
    repeats: true,
    text: (_, index) => message(`GET ${index % 2 === 0 ? "/healthz" : list}?${"a&".repeat(7900)}`, []),
  },
  "unfinished bodies that fill memory": {
    repeats: false,
    text: (order, index) => {
      if (index % 3 === 0) return signIn(mebibyte);
      if (index % 3 === 1) return signIn(2000);
      return unfinished("POST /api/vm_marketplace/instance-operations/launch", [authorized(order)], mebibyte);
    },
  },
  "unfinished requests that hold connections": {
    repeats: false,
    text: (_, index) => [signIn(1000), `GET ${list} HTTP/1.1\r\nX-Unfinished: `, ""][index % 3] ?? "",
  },
  "MCP calls with 80,000 arguments": {
    repeats: true,
    text: (order, index) => {
      const body = index % 2 === 0 ? manyArguments : asManyAsFit;
      const accept = "Accept: application/json, text/event-stream";
      return message("POST /mcp", [authorized(order), accept, `Content-Length: ${body.length}`], body);
    },
  },
  "pipelined requests with a parse error behind them": {
    repeats: false,
    text: (order) =>
      `${message("GET /api/vm_marketplace/instance-types", [authorized(order)]).repeat(5)}no HTTP\r\n\r\n`,
  },
  "thousands of pipelined requests in one piece": {
    repeats: false,
    text: () => "GET / HTTP/1.1\r\n\r\n".repeat(3600),
  },
  "bodies in chunks of one byte": {
    repeats: false,
    text: (order, index) => {
      const line = index % 2 === 0 ? "POST /nowhere" : "POST /api/vm_marketplace/instance-operations/launch";
      return message(line, [authorized(order), "Transfer-Encoding: chunked"], "1\r\na\r\n".repeat(300_000));
    },
  },
  "launches beyond a spend limit": {
    repeats: true,
    text: ({ limitedToken }) => {
      const order = { instance_type_name: "gpu_8x_h100_sxm5", region_name: "any", ssh_key_names: [], quantity: 1 };
      const body = JSON.stringify(order);
      const headers = [`Authorization: Bearer ${limitedToken}`, `Content-Length: ${body.length}`];
      return message("POST /api/vm_marketplace/instance-operations/launch", headers, body);
    },
  },
  "tests of webhooks at dead targets": {
    repeats: true,
    text: (order, index) => {
      const id = order.deadWebhooks[index % order.deadWebhooks.length];
      return message(`POST /control/v1/webhooks/${id}/test`, [authorized(order), "Content-Length: 0"]);
    },
  },
  "bodies of 90,000 values": {
    repeats: true,
    text: (order) => {
      const length = `Content-Length: ${manyKeys.length}`;
      return message("POST /api/vm_marketplace/instance-operations/launch", [authorized(order), length], manyKeys);
    },
  },
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;

async function attack(order: AttackOrder): Promise<AttackDone> {
  const { text, repeats }: Attack = attacks[order.attack];
  const sockets = new Map<number, Socket>();
  const statuses: Record<string, number> = {};
  let [opened, sent] = [0, 0];

  function write(socket: Socket, index: number): void {
    socket.write(text(order, index));
    sent += 1;
  }

  function open(index: number): void {
    const localAddress = `127.0.0.${66 + (index % order.addresses)}`;
    const socket = connect({ host: order.host, port: order.port, localAddress });
    sockets.set(index, socket);
    opened += 1;
    socket.setEncoding("latin1");
    socket.on("data", (data: string) => {
      for (const [, status = ""] of data.matchAll(/HTTP\/1\.1 (\d{3})/g))
        statuses[status] = (statuses[status] ?? 0) + 1;
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(index));
    write(socket, index);
  }

  const until = performance.now() + order.seconds * 1000;
  while (performance.now() < until) {
    let left = opensPerRound;
    for (let index = 0; index < order.connections; index += 1) {
      const socket = sockets.get(index);
      if (socket === undefined) {
        if (left > 0) open(index);
        left -= 1;
      } else if (repeats && socket.writableLength === 0) write(socket, index);
    }
    await sleep(order.everyMs);
  }
  for (const socket of sockets.values()) socket.destroy();
  return { opened, sent, statuses };
}

if (process.argv[1] === import.meta.filename) {
  const order = JSON.parse(process.argv[2] ?? "") as AttackOrder; // waits.ts wrote it
  process.stdout.write(JSON.stringify(await attack(order)));
}
