// What a guest does with the lines that its host sends, in each shell that guests have. A pipe stands in for the port, so
// its responses come back to it; a real one is in test/vm/evictions.test.ts.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/support/engine-calls.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { afterTest } from "../../../test/support/when-over.ts";
import { fileLine, filesPort } from "./files.ts";

const taker = fileURLToPath(new URL("file-taker.sh", import.meta.url));
const shells = ["sh", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
const path = "/run/lessor/notice.json";

/** A guest that has the port, second of two. */
async function guest(shell: string) {
  const root = await temporaryDirectory();
  for (const [port, name] of Object.entries({ vport1p1: "another", vport1p2: filesPort })) {
    mkdirSync(join(root, "sys/class/virtio-ports", port), { recursive: true });
    writeFileSync(join(root, "sys/class/virtio-ports", port, "name"), `${name}\n`);
  }
  mkdirSync(join(root, "dev"));
  const port = join(root, "dev/vport1p2");
  execFileSync("mkfifo", [port]);
  const process = spawn(shell, [taker, root], { stdio: ["ignore", "ignore", "inherit"] });
  afterTest(async () => void process.kill());
  const file = join(root, path);
  return { root, file, send: (line: string) => appendFileSync(port, line) };
}

describe.each(shells)("a guest with %s", (shell) => {
  it("writes the file, another in its place, and removes it", async () => {
    const { file, send } = await guest(shell);
    const text = `{"evict_at":"it's \\"$HOME\\" \`ls\` %s é"}\n`;
    send(fileLine({ path, text }, "1a"));
    await eventually(() => existsSync(file) && readFileSync(file, "utf8")).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o644);
    send(fileLine({ path, text: "" }, "2b"));
    await eventually(() => readFileSync(file, "utf8")).toBe("");
    send(fileLine({ path, text: null }, "3c"));
    await eventually(() => existsSync(file)).toBe(false);
  });

  it("goes on after a line that says nothing, and writes nothing elsewhere", async () => {
    const { root, file, send } = await guest(shell);
    send("\nput\nput 1 /etc/passwd eA==\nput 2 /run/lessor/broken ****\n");
    send(fileLine({ path, text: "x" }, "4d"));
    await eventually(() => existsSync(file) && readFileSync(file, "utf8")).toBe("x");
    expect(existsSync(join(root, "etc/passwd"))).toBe(false);
    expect(existsSync(join(root, "run/lessor/broken"))).toBe(false);
  });
});

it("a guest without the port ends at once", async () => {
  const { status } = spawnSync("sh", [taker, await temporaryDirectory()]);
  expect(status).toBe(0);
});

it("a file outside of the folder for that is a bug", () => {
  expect(() => fileLine({ path: "/etc/passwd", text: "x" }, "1")).toThrow("BUG:");
  expect(() => fileLine({ path: "/run/lessor/a b", text: "x" }, "1")).toThrow("BUG:");
});
