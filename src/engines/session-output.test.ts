import { expect, it } from "vitest";
import { SessionOutput } from "./session-output.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function begin() {
  const told: string[] = [];
  const output = new SessionOutput(() => told.push("overflow"));
  return { told, output, listen: () => output.onData((data) => told.push(Buffer.from(data).toString())) };
}

it("what comes before anything listens is told first, in its order", () => {
  const { told, output, listen } = begin();
  output.receive(bytes("a"));
  output.receive(bytes("b"));
  listen();
  output.receive(bytes("c"));
  expect(told).toEqual(["a", "b", "c"]);
});

it("a mebibyte waits for a listener, and more does not", () => {
  const { told, output } = begin();
  output.receive(new Uint8Array(1024 * 1024));
  expect(told).toEqual([]);
  output.receive(bytes("x"));
  expect(told).toEqual(["overflow"]);
});

it("with a listener nothing waits, however much comes", () => {
  const { told, output } = begin();
  let count = 0;
  output.onData(({ length }) => {
    count += length;
  });
  for (let piece = 0; piece < 3; piece++) output.receive(new Uint8Array(1024 * 1024));
  expect([count, told]).toEqual([3 * 1024 * 1024, []]);
});

it("ends once, hung up before its listener is told, and tells who listens late", () => {
  const { told, output } = begin();
  output.onEnd(() => told.push("end"));
  output.end(() => told.push("hung up"));
  output.end(() => told.push("hung up again"));
  output.onEnd(() => told.push("late"));
  expect(told).toEqual(["hung up", "end", "late"]);
});
