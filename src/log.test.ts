// The log on standard output, of a program that really ends: no line is lost however it ends, and each is whole.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const logModule = new URL("./log.ts", import.meta.url).href;

/** What the program wrote, line by line, when it had ended by itself. */
async function linesOf(body: string): Promise<{ n: number }[]> {
  const program = `import { createLog } from ${JSON.stringify(logModule)};
    const log = createLog("info");
    const write = (from, to) => { for (let n = from; n < to; n++) log.info({ n, pad: "x".repeat(200) }, "line"); };
    ${body}`;
  const args = ["--input-type=module", "--eval", program];
  const run = promisify(execFile)(process.execPath, args, { maxBuffer: 100_000_000 });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => n);

it.each([
  ["by having nothing more to do", "write(0, 5);", 5],
  ["by process.exit", "write(0, 5); process.exit(3);", 5],
  ["by an error that nobody caught", "write(0, 5); throw new Error('boom');", 5],
  ["by a rejection that nobody handled", "write(0, 5); Promise.reject(new Error('boom'));", 5],
  ["after far more than is written at once", "write(0, 20_000);", 20_000],
  ["after several turns", "write(0, 3); setTimeout(() => write(3, 6), 5);", 6],
])("a program that ends %s has written every line, whole and in order", async (_how, body, count) => {
  expect((await linesOf(body)).map(({ n }) => n)).toEqual(numbered(count));
});

/** A program that logs, with its stdout; nobody reads that yet where it is a pipe. What it says on stderr. */
function running(body: string, stdout: "pipe" | number) {
  const program = `import { createLog } from ${JSON.stringify(logModule)};
    import { setTimeout as sleep } from "node:timers/promises";
    const log = createLog("info");
    const write = (from, to) => { for (let n = from; n < to; n++) log.info({ n, pad: "x".repeat(200) }, "line"); };
    const say = (word) => process.stderr.write(word + "\\n");
    ${body}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", stdout, "pipe"],
  });
  const said: string[] = [];
  child.stderr?.on("data", (piece: Buffer) => said.push(...piece.toString().trim().split("\n")));
  return { child, said, exit: once(child, "exit") };
}

describe("a log that", () => {
  it("lies on a full disk ends nothing", async () => {
    const full = openSync("/dev/full", "w");
    const { said, exit } = running(`write(0, 3); await sleep(50); write(3, 6); await sleep(50); say("alive");`, full);
    closeSync(full);
    expect(await exit).toEqual([0, null]);
    expect(said).toEqual(["alive"]);
  });

  it("nobody reads keeps nobody waiting, and not the end of the program for long", async () => {
    const { child, said, exit } = running(
      `for (let n = 0; n < 50; n++) { write(0, 100); await sleep(1); }
      process.on("SIGTERM", () => process.exit(0));
      say("alive");
      setInterval(() => {}, 1000);`,
      "pipe",
    );
    await expect.poll(() => said, { timeout: 20_000 }).toEqual(["alive"]);
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  it("nobody reads for long loses whole lines beyond a bound, says how many, and goes on when somebody reads", async () => {
    const count = 60_000;
    const { child, said } = running(
      `for (let n = 0; n < ${count}; n += 1000) { write(n, n + 1000); await sleep(1); }
      process.once("SIGUSR2", () => write(${count}, ${count + 1}));
      say("written");
      setInterval(() => {}, 1000);`,
      "pipe",
    );
    try {
      await expect.poll(() => said, { timeout: 20_000 }).toEqual(["written"]);
      let text = "";
      child.stdout?.on("data", (piece: Buffer) => {
        text += piece.toString("latin1");
      });
      await expect.poll(() => text.length).toBeGreaterThan(8_000_000);
      child.kill("SIGUSR2");
      await expect.poll(() => text, { timeout: 20_000 }).toContain(`"n":${count},`);
      const lines: { n?: number; lost?: number }[] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const numbers = lines.flatMap(({ n }) => n ?? []);
      const lost = lines.flatMap((line) => line.lost ?? []);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(lost).toHaveLength(1);
      expect(numbers.length + (lost[0] ?? 0)).toBe(count + 1);
    } finally {
      child.kill("SIGKILL");
    }
  });
});

it("an error of the database is told without the rows that it may hold", async () => {
  const lines = await linesOf(`
    const error = Object.assign(new Error("violates check constraint"), { code: "23514", constraint: "the_rule",
      detail: "Failing row contains (sealed).", where: "sealed", hint: "sealed", internalQuery: "sealed" });
    log.error({ err: error }, "failed");`);
  const [line] = lines as unknown as { err: object }[];
  expect(line?.err).toMatchObject({ message: "violates check constraint", code: "23514", constraint: "the_rule" });
  expect(JSON.stringify(line)).not.toContain("sealed");
});

it("a line is there when its turn is over, though the program goes on", async () => {
  const program = `import { createLog } from ${JSON.stringify(logModule)};
    createLog("info").info({ n: 0 }, "line");
    setInterval(() => {}, 1000);`;
  const child = execFile(process.execPath, ["--input-type=module", "--eval", program]);
  let text = "";
  child.stdout?.on("data", (piece: string) => {
    text += piece;
  });
  try {
    await expect.poll(() => text, { timeout: 20_000 }).toContain('"n":0');
  } finally {
    child.kill("SIGKILL");
  }
});
