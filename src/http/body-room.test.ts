import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createBodyRoom } from "./body-room.ts";

const response = () => new EventEmitter() as unknown as ServerResponse; // nothing else of it is used

describe("the room for bodies", () => {
  it("is for all requests together, and is given back when one has ended", () => {
    const room = createBodyRoom(100);
    const [one, other] = [response(), response()];
    room.take(one, 40);
    room.take(one, 20);
    room.take(other, 40);
    expect(() => room.take(other, 1)).toThrow(expect.objectContaining({ kind: "unavailable" }));
    one.emit("close");
    room.take(other, 60);
    expect(() => room.take(other, 1)).toThrow();
    other.emit("close");
    room.take(response(), 100);
  });
});
