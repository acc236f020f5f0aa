// A line between a browser and a service that a test can cut and mend: for what a page does without a connection. Unlike a
// browser that is told to be offline it also ends what is open, as a real outage does.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { afterTest } from "../../support/when-over.ts";

export interface Line {
  /** Of the service, by this line. */
  readonly url: string;
  cut(): void;
  mend(): void;
}

/** A line to the service at this address. */
export async function lineTo(url: string): Promise<Line> {
  const target = Number(new URL(url).port);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(target, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const end = () => {
    for (const socket of open) socket.destroy();
  };
  afterTest(() => {
    end();
    server.close();
  });
  return {
    // A server on a port has one.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      end();
    },
    mend: () => {
      isCut = false;
    },
  };
}
