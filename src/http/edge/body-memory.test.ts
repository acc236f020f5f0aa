import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { type BodyOwner, createBodyMemory } from "./body-memory.ts";

/** Nothing else of a response is used. */
class Response extends EventEmitter {
  closed = false;
  close() {
    this.closed = true;
    this.emit("close");
  }
}

const token = (id: string): BodyOwner => ({ kind: "token", id });
const address = (id: string): BodyOwner => ({ kind: "address", id });
const unavailable = expect.objectContaining({ kind: "unavailable" });

function created() {
  const memory = createBodyMemory({
    unverified: { all: 20, share: 10 },
    small: { all: 30, share: 20 },
    large: { all: 100, share: 60 },
    smallBytes: 10,
  });
  return (owner: BodyOwner, declaredBytes: number) => {
    const response = new Response();
    const take = memory.begin(response as unknown as ServerResponse, owner, declaredBytes);
    return { take, close: () => response.close() };
  };
}

describe("the memory for bodies", () => {
  it("is shared by all requests, and released when a response has closed", () => {
    const begin = created();
    const [one, other] = [begin(token("a"), 50), begin(token("b"), 50)];
    one.take(40);
    one.take(20);
    other.take(40);
    expect(() => other.take(1)).toThrow(unavailable);
    one.close();
    other.take(20);
    other.close();
    begin(token("a"), 60).take(60);
  });

  it("gives one token a share only, whatever number of requests it sends", () => {
    const begin = created();
    begin(token("a"), 30).take(30);
    begin(token("a"), 30).take(30);
    expect(() => begin(token("a"), 30).take(1)).toThrow(unavailable);
    begin(token("b"), 40).take(40);
  });

  it("gives one address a small share before a token is verified, and all of them together a bounded part", () => {
    const begin = created();
    begin(address("192.0.2.1"), 0).take(10);
    expect(() => begin(address("192.0.2.1"), 0).take(1)).toThrow(unavailable);
    begin(address("192.0.2.2"), 0).take(10);
    expect(() => begin(address("192.0.2.3"), 0).take(1)).toThrow(unavailable);
  });

  it("keeps a reserve for small bodies of verified tokens", () => {
    const begin = created();
    begin(address("192.0.2.1"), 0).take(10);
    begin(address("192.0.2.2"), 0).take(10);
    begin(token("a"), 60).take(60);
    begin(token("b"), 40).take(40);
    expect(() => begin(token("c"), 11).take(11)).toThrow(unavailable);
    begin(token("c"), 10).take(10);
    // Also one that has filled its share of the other part.
    begin(token("a"), 10).take(10);
  });

  it("counts a body of undeclared length as large as soon as it is", () => {
    const begin = created();
    const growing = begin(token("a"), 0);
    growing.take(10);
    growing.take(40);
    // The reserve has all of it back.
    begin(token("a"), 10).take(10);
    begin(token("a"), 10).take(10);
    expect(() => begin(token("a"), 10).take(1)).toThrow(unavailable);
    expect(() => growing.take(20)).toThrow(unavailable);
    growing.close();
    begin(token("a"), 60).take(60);
  });

  it("takes nothing for a response that has closed already", () => {
    const begin = created();
    const gone = begin(token("a"), 60);
    gone.close();
    expect(() => gone.take(1)).toThrow(expect.objectContaining({ kind: "request-timeout" }));
    begin(token("a"), 60).take(60);
  });
});
