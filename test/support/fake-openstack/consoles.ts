// The serial consoles of the fake's servers: a WebSocket by a URL that holds once, and a shell that shows what is typed and
// ends by "exit".

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { FakeWebSocket } from "../fake-incus/web-socket.ts";

export class FakeConsole {
  readonly server: string;
  readonly typed: Buffer[] = [];
  closed = false;
  readonly #socket: FakeWebSocket;

  constructor(server: string, socket: FakeWebSocket) {
    [this.server, this.#socket] = [server, socket];
    socket.onMessage = (message) => {
      this.typed.push(message);
      socket.sendBytes(message);
      if (/^exit[\r\n]+$/.test(message.toString())) this.end();
    };
    socket.onClose = () => {
      this.closed = true;
    };
    socket.sendBytes(Buffer.from("login: "));
  }

  /** What the guest prints. */
  print(text: string): void {
    this.#socket.sendBytes(Buffer.from(text));
  }

  /** As the proxy does when the guest ends it. */
  end(): void {
    this.#socket.close();
  }

  /** From here on it goes on although the other side has closed it. */
  holdOn(): void {
    this.#socket.holdsOn = true;
  }

  /** As when the proxy dies. */
  drop(): void {
    this.#socket.drop();
  }
}

export class FakeConsoles {
  readonly all: FakeConsole[] = [];
  readonly #tokens = new Map<string, string>();

  /** A token for one connection to the console of this server. */
  open(server: string): string {
    const token = randomUUID();
    this.#tokens.set(token, server);
    return token;
  }

  connect(request: IncomingMessage, socket: Duplex): void {
    const token = new URL(request.url ?? "/", "http://localhost").searchParams.get("token") ?? "";
    const server = this.#tokens.get(token);
    this.#tokens.delete(token);
    if (server === undefined) socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else {
      const offersBinary = String(request.headers["sec-websocket-protocol"] ?? "").includes("binary");
      const spoken = new FakeWebSocket(request, socket, offersBinary ? "binary" : undefined);
      this.all.push(new FakeConsole(server, spoken));
    }
  }
}
