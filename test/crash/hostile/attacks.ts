// What hostile and broken clients do to a server, each as a function that does it for a while and then lets go.
// Every socket is closed when it is over. What the server makes of it is the test's to look at.

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Target } from "./target.ts";

export type Attack = (target: Target, connections: number, seconds: number) => Promise<void>;

const mebibyte = 1024 * 1024;

/** Opens so many connections, a hundred at a time; one that fails stays out. */
async function open(target: Target, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => connect(target.port, target.host));
    sockets.push(...some);
    await Promise.all(
      some.map((socket) => new Promise((resolve) => socket.on("connect", resolve).on("error", resolve))),
    );
  }
  return sockets;
}

/** Does something with many connections, every second, and closes them at the end. */
async function during(
  target: Target,
  connections: number,
  seconds: number,
  each: { first: (socket: Socket) => void; again?: (socket: Socket) => void; reads?: boolean },
): Promise<void> {
  const sockets = await open(target, connections);
  for (const socket of sockets) {
    if (each.reads !== false) socket.resume();
    each.first(socket);
  }
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1000);
    if (each.again !== undefined) for (const socket of sockets) if (socket.writable) each.again(socket);
  }
  for (const socket of sockets) socket.destroy();
}

const head = (target: Target, method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${target.hostileToken}`, ...headers, "", ""].join(
    "\r\n",
  );
const keys = "/api/vm_marketplace/ssh-keys";
const list = "/api/vm_marketplace/instance-types";
const big = "/api/vm_marketplace/openapi.json";

/** Writes piece after piece, each when the one before has gone, until it is over or the other side has had enough. */
async function pour(socket: Socket, piece: Buffer, pieces: number): Promise<void> {
  for (let sent = 0; sent < pieces; sent += 1) {
    const error = await new Promise((resolve) => socket.write(piece, resolve));
    if (error instanceof Error || !socket.writable) return;
  }
}

async function pouring(target: Target, connections: number, before: string, piece: Buffer, pieces: number) {
  const sockets = await open(target, connections);
  await Promise.all(
    sockets.map((socket) => {
      socket.resume().write(before);
      return pour(socket, piece, pieces);
    }),
  );
  for (const socket of sockets) socket.destroy();
}

const gigabyte = 1024;
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

export const attacks: Readonly<Record<string, Attack>> = {
  "connections that do nothing": (target, connections, seconds) =>
    during(target, connections, seconds, { first: () => {} }),

  "heads that come a line a second": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => socket.write("GET / HTTP/1.1\r\n"),
      again: (socket) => socket.write("X-More: 1\r\n"),
    }),

  "bodies that come a byte a second": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => socket.write(head(target, "POST", keys, "Content-Length: 1000")),
      again: (socket) => socket.write(" "),
    }),

  "bodies of a mebibyte that never end": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => {
        socket.write(head(target, "POST", keys, `Content-Length: ${mebibyte}`));
        socket.write(Buffer.alloc(mebibyte - 1, " "));
      },
    }),

  "bodies of a gigabyte, announced": (target, connections) =>
    pouring(
      target,
      connections,
      head(target, "POST", keys, `Content-Length: ${gigabyte * mebibyte}`),
      Buffer.alloc(mebibyte, " "),
      gigabyte,
    ),

  "bodies of a gigabyte, in chunks": (target, connections) =>
    pouring(
      target,
      connections,
      head(target, "POST", keys, "Transfer-Encoding: chunked"),
      chunk(Buffer.alloc(mebibyte, " ")),
      gigabyte,
    ),

  "bodies of a gigabyte, compressed": async (target, connections) => {
    // Many small ones, one after the other, are one as a whole.
    const piece = gzipSync(Buffer.alloc(mebibyte, " "));
    const compressed = Buffer.concat(
      Array.from({ length: Math.min(gigabyte, Math.floor(mebibyte / piece.length)) }, () => piece),
    );
    const before = head(target, "POST", keys, "Content-Encoding: gzip", `Content-Length: ${compressed.length}`);
    await pouring(target, connections, before, compressed, 1);
  },

  "JSON that is nothing but depth": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => {
        socket.write(head(target, "POST", keys, `Content-Length: ${mebibyte}`));
        socket.write(Buffer.alloc(mebibyte, "["));
      },
    }),

  "heads without end": (target, connections) =>
    pouring(target, connections, "GET / HTTP/1.1\r\n", Buffer.from("X-Flood: 0123456789\r\n".repeat(5000)), 100),

  "connections that are closed on one side": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => socket.end(Math.random() < 0.5 ? head(target, "GET", list) : "GET / HT"),
    }),

  "a thousand requests at once on each connection": (target, connections, seconds) =>
    during(target, connections, seconds, { first: (socket) => socket.write(head(target, "GET", list).repeat(1000)) }),

  "answers that nobody reads": (target, connections, seconds) =>
    during(target, connections, seconds, {
      first: (socket) => socket.pause().write(head(target, "GET", big).repeat(50)),
      reads: false,
    }),
};
