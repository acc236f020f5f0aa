// Standard output for the log: the lines of one turn of the event loop are one write, because a server at thousands of
// requests per second would spend a tenth of its time on a write for each line.
//
// Invariants: the reader of the log never blocks the server: a failed write is retried soon, and beyond a limit whole
// lines are dropped and counted. A full disk or a lost reader does not end the program. A line is kept no longer than a
// turn if the reader accepts it, nor past the program's end.
//
// Custom, because pino's output blocks the program while nothing reads, ends it if the disk is full, and syncs a file
// with every flush.

import { fstatSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** The buffer size, in letters, that is written before the turn ends. */
const atOnce = 16_000;
/** The maximum to buffer, in letters. */
const mostWaiting = 8 * 1024 ** 2;
/** The retry delay, in milliseconds. */
const againMs = 10;
/** How long the end of the program waits for a reader, in milliseconds. */
const endMs = 2000;

/** `lostLines`: formats the line that reports how many lines were dropped, and why. */
export function standardOutput(lostLines: (lost: number, why: string) => string): DestinationStream {
  let waiting = "";
  /** The rest of a partial write: it is written first, so that no line is torn. */
  let begun: Buffer = Buffer.alloc(0);
  /** How many bytes of it are log lines; the report of dropped lines precedes them. */
  let [begunLines, begunTold] = [0, 0];
  let [lost, why] = [0, ""];
  /** Whether the last write ended in the middle of a line whose rest is lost. */
  let isTorn = false;
  let isPlanned = false;
  /** Writes fail for now. */
  let isStopped = false;
  let isOver = false;

  /** Writes as much as possible; returns whether that was all. */
  function flush(): boolean {
    for (;;) {
      if (begun.length === 0) {
        if (waiting === "") return true;
        const told = lost === 0 ? "" : lostLines(lost, why);
        begun = Buffer.from(`${isTorn ? "\n" : ""}${told}${waiting}`);
        begunLines = Buffer.byteLength(waiting);
        [waiting, begunTold, lost, isTorn] = ["", lost, 0, false];
      }
      try {
        const written = writeSync(1, begun);
        isTorn = begun[written - 1] !== 0x0a;
        begun = begun.subarray(written);
      } catch (error) {
        const { code = "unknown" } = error as NodeJS.ErrnoException; // so fs throws
        if (code !== "EAGAIN") lose(code);
        return false;
      }
    }
  }

  /** The partial write cannot be completed. */
  function lose(code: string): void {
    const lines = begun.subarray(Math.max(0, begun.length - begunLines));
    lost += lines.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);
    if (begun.length > begunLines) lost += begunTold;
    why = code;
    begun = Buffer.alloc(0);
  }

  function soon(): void {
    isPlanned = false;
    isStopped = !flush();
    if (isStopped) plan(() => setTimeout(soon, againMs));
  }

  function plan(schedule: () => void): void {
    if (isPlanned) return;
    isPlanned = true;
    schedule();
  }

  function end(): void {
    isOver = true;
    const deadline = performance.now() + endMs;
    const clock = new Int32Array(new SharedArrayBuffer(4));
    while (!flush() && begun.length > 0 && performance.now() < deadline) Atomics.wait(clock, 0, 0, againMs);
  }

  letWritesReturn();
  process.once("exit", end);
  return {
    write(line) {
      if (waiting.length + line.length > mostWaiting) {
        [lost, why] = [lost + 1, "nobody took them"];
        return;
      }
      waiting += line;
      if (isOver) end();
      else if (waiting.length > atOnce && !isStopped) isStopped = !flush();
      plan(() => setImmediate(soon));
    },
  };
}

/** A write to a pipe with a stalled reader must fail instead of blocking: Node opens its stdout this way. */
function letWritesReturn(): void {
  const stat = fstatSync(1);
  if (stat.isFIFO() || stat.isSocket()) void process.stdout;
}
