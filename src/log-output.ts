// Standard output, for the log: the lines of one turn of the event loop are one write, for a server that answers thousands
// of requests in a second would spend a tenth of its time on writing a line for each.
//
// Invariants: whoever reads the log, or does not, keeps nobody waiting: what cannot be written now is tried again soon,
// and beyond a bound lines are lost, whole ones, and counted. A disk that is full, or a reader that is gone, ends nothing.
// None that was written is kept longer than a turn where it can be taken, nor past the program's end.
//
// Why it is our own: pino's blocks the program while nobody reads, ends it where the disk is full, and has a file synced to
// its disk with every flush.

import { fstatSync, writeSync } from "node:fs";
import type { DestinationStream } from "pino";

/** So much is written at once before the turn is over, in letters. */
const atOnce = 16_000;
/** So much waits at most, in letters. */
const mostWaiting = 8 * 1024 ** 2;
/** How soon is tried again, in milliseconds. */
const againMs = 10;
/** How long the end of the program waits for a reader, in milliseconds. */
const endMs = 2000;

/** `lostLines`: the line that tells of so many that were lost, and of why. */
export function standardOutput(lostLines: (lost: number, why: string) => string): DestinationStream {
  let waiting = "";
  /** The rest of what was begun: it goes before all else, so that a line is never torn. */
  let begun: Buffer = Buffer.alloc(0);
  /** Of it, so many bytes are lines of the log; before them stands the line that tells of so many lost ones. */
  let [begunLines, begunTold] = [0, 0];
  let [lost, why] = [0, ""];
  /** Whether what was written last ended in the middle of a line, whose rest is lost. */
  let isTorn = false;
  let isPlanned = false;
  /** Nothing is taken for now. */
  let isStopped = false;
  let isOver = false;

  /** Writes as much as is taken; whether that was all. */
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

  /** What is begun cannot be written. */
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

/** A pipe whose reader stands still must say so, instead of keeping the program: that is how Node opens its stdout. */
function letWritesReturn(): void {
  const stat = fstatSync(1);
  if (stat.isFIFO() || stat.isSocket()) void process.stdout;
}
