// A session in a guest of the fake, as the server has it: a terminal that shows what is typed, and a shell that ends by
// "exit". The test can write to it, and see how it was resized.

import type { FakeWebSocket } from "./web-socket.ts";

export class FakeSession {
  data: FakeWebSocket | undefined;
  control: FakeWebSocket | undefined;
  readonly typed: Buffer[] = [];
  /** What the control socket was told. */
  readonly told: unknown[] = [];
  closed = false;
  /** Called with the close of each socket. */
  onClosed: () => void = () => {};

  connect(socket: FakeWebSocket, kind: "data" | "control"): void {
    this[kind] = socket;
    socket.onClose = () => {
      this.closed = true;
      this.onClosed();
    };
    socket.onMessage = (message) => {
      if (kind === "control") {
        this.told.push(JSON.parse(message.toString()));
        return;
      }
      this.typed.push(message);
      socket.sendBytes(message);
      if (message.toString() === "exit\n") this.end();
    };
  }

  /** As a command that prints this, in a terminal, and ends. */
  print(output: string): void {
    this.data?.sendBytes(Buffer.from(output.replaceAll("\n", "\r\n")));
    this.end();
  }

  /** As the real ones do: an empty text message, then the sockets close. */
  end(): void {
    this.data?.sendText("");
    this.data?.close();
    this.control?.close();
  }
}
