import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { fakeProgram, usePath } from "../../../../test/support/stand-in.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { openConsole } from "./console.ts";
import type { Console } from "./virsh.ts";
import { VirshError } from "./virsh-error.ts";

const program = ["virsh", "--quiet", "--connect", "qemu:///system"];
const order = { domain: "lessor-1" };

/** Whoever is waited for that long has opened: no machine is so slow. */
const PATIENT_MS = 10_000;

async function begin(script: string, opensWithinMs = 1) {
  const directory = await fakeProgram({ virsh: script });
  const console = await openConsole(program, order, signal(), opensWithinMs);
  onTestFinished(() => console.close());
  return { directory, console, ...listenTo(console) };
}

function listenTo(console: Console) {
  const seen: Uint8Array[] = [];
  let ends = 0;
  console.onData((data) => seen.push(data));
  console.onEnd(() => {
    ends++;
  });
  return { shown: () => Buffer.concat(seen).toString(), ends: () => ends };
}

function wordIn(directory: string, name: string): string {
  const path = join(directory, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function runs(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid.trim()}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a console", () => {
  it("is virsh's, on a terminal of its own", async () => {
    const { shown } = await begin(`tty >/dev/null && echo "terminal: $*"; exec cat`);
    await eventually(shown).toContain("terminal: --quiet --connect qemu:///system console lessor-1 --force");
  });

  it("is one of another device where that is named", async () => {
    await fakeProgram({ virsh: `echo "$*"; exec cat` });
    const console = await openConsole(program, { ...order, device: "ua-shell" }, signal(), 1);
    const { shown } = listenTo(console);
    await eventually(shown).toContain("console lessor-1 --force --devname ua-shell");
    console.close();
  });

  it("is given each word as it is", async () => {
    await fakeProgram({ virsh: `echo "[$3]"; exec cat` });
    const uri = "qemu+ssh://h1/system?keyfile=/a b&x=$(id);'\"";
    const console = await openConsole(["virsh", "--quiet", "--connect", uri], order, signal(), 1);
    const { shown } = listenTo(console);
    await eventually(shown).toContain(`[${uri}]`);
    console.close();
  });

  it("passes on what is typed and what is shown, byte for byte", async () => {
    const { console, shown } = await begin("stty raw -echo; echo ready; exec cat");
    await eventually(shown).toContain("ready");
    console.write(Buffer.from("ü\u0003\u001b[A\r"));
    await eventually(shown).toContain("ü\u0003\u001b[A\r");
  });

  it("can be held back: then what the machine shows waits in it, and comes when it may", async () => {
    const { console, shown } = await begin("stty raw -echo; echo ready; read go; seq 200000; exec cat");
    await eventually(shown).toContain("ready");
    console.flow(false);
    console.write(Buffer.from("go\n"));
    // What is on its way already comes.
    await eventually(() => console.unread()).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(shown().length).toBeLessThan(500_000);
    console.flow(true);
    await eventually(shown).toContain("200000");
  });

  it("that is held back ends all the same when it is closed", async () => {
    const { console, ends } = await begin("yes");
    console.flow(false);
    console.close();
    await eventually(ends).toBe(1);
  });

  it("tells how much was written that nobody has taken", async () => {
    const { console, shown } = await begin("stty raw -echo; echo ready; exec cat >/dev/null");
    await eventually(shown).toContain("ready");
    console.write(Buffer.alloc(4_000_000, "x"));
    expect(console.unread()).toBeGreaterThan(1_000_000);
    await eventually(() => console.unread()).toBe(0);
  });

  it("keeps what is shown until somebody listens", async () => {
    const directory = await fakeProgram({ virsh: `echo early; touch "$HERE/shown"; exec cat` });
    const console = await openConsole(program, order, signal(), 1);
    await eventually(() => existsSync(join(directory, "shown"))).toBe(true);
    const { shown } = listenTo(console);
    await eventually(shown).toContain("early");
    console.close();
  });

  it("does not show what virsh complains of", async () => {
    const { shown, ends } = await begin("echo shown; echo 'error: hidden' >&2; exit 1");
    await eventually(ends).toBe(1);
    expect(shown().trim()).toBe("shown");
  });

  it("ends once when virsh ends, and what is written then is lost", async () => {
    const { console, ends } = await begin("read line");
    console.write(Buffer.from("x\n"));
    await eventually(ends).toBe(1);
    console.write(Buffer.from("lost"));
    console.close();
    console.close();
    expect(ends()).toBe(1);
  });

  it("that is closed ends what it started, also a transport that listens to nothing", async () => {
    const { directory, console, ends } = await begin(`sleep 60 & echo "$!" >"$HERE/child"; echo $$ >"$HERE/pid"; wait`);
    await eventually(() => wordIn(directory, "pid")).not.toBe("");
    console.close();
    await eventually(ends).toBe(1);
    await eventually(() => ["pid", "child"].filter((name) => runs(wordIn(directory, name)))).toEqual([]);
  });

  it("does not need the service's user to have a shell", async () => {
    const before = process.env.SHELL;
    process.env.SHELL = "/usr/sbin/nologin";
    onTestFinished(() => {
      process.env.SHELL = before;
      if (before === undefined) delete process.env.SHELL;
    });
    const { shown } = await begin("echo opened; exec cat");
    await eventually(shown).toContain("opened");
  });
});

describe("a console that cannot be opened", () => {
  it("says what virsh complained of", async () => {
    await fakeProgram({ virsh: "echo 'error: The domain is not running' >&2; exit 1" });
    const error = await failure(openConsole(program, order, signal(), PATIENT_MS));
    expect(error).toBeInstanceOf(VirshError);
    expect(error).toMatchObject({ complaint: "The domain is not running" });
  });

  it("because a program is missing tells which package has it", async () => {
    await usePath(await temporaryDirectory());
    const error = await failure(openConsole(program, order, signal(), PATIENT_MS));
    expect(error).toMatchObject({ message: expect.stringMatching(/script is not on PATH: install bsdutils/) });
  });

  it("is given up with the signal's reason, and nothing of it runs on", async () => {
    const directory = await fakeProgram({ virsh: `echo $$ >"$HERE/pid"; exec sleep 60` });
    const controller = new AbortController();
    const opening = failure(openConsole(program, order, controller.signal, PATIENT_MS));
    await eventually(() => wordIn(directory, "pid")).not.toBe("");
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await opening).toBe(reason);
    await eventually(() => runs(wordIn(directory, "pid"))).toBe(false);
  });

  it("beforehand starts nothing", async () => {
    const directory = await fakeProgram({ virsh: `touch "$HERE/started"` });
    const reason = new Error("too late");
    expect(await failure(openConsole(program, order, AbortSignal.abort(reason)))).toBe(reason);
    expect(existsSync(join(directory, "started"))).toBe(false);
  });
});
