import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { fakeProgram, usePath } from "../../../../test/support/stand-in.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import { fromInput, openVirsh, toOutput } from "./virsh.ts";
import { VirshError } from "./virsh-error.ts";

const uri = "qemu+ssh://root@h1/system";

/** A virsh that prints its words, each on a line between brackets. */
const echo = `for word; do printf '[%s]\\n' "$word"; done`;

/** A virsh that takes its last argument apart as the real one does: in this a shell's rules are the same. */
const apart = `for word; do last=$word; done; eval "set -- $last"; ${echo}`;

async function begin(script: string) {
  return { directory: await fakeProgram({ virsh: script }), virsh: openVirsh(uri) };
}

function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a call", () => {
  it("is one process, told where to and what, each word as it is", async () => {
    const { virsh } = await begin(echo);
    const words = ["start", "a b", "$(touch /nowhere)", "`x`;'\"*", "", "ü\n"];
    expect(await virsh.call(words, { signal: signal() })).toBe(
      ["--quiet", "--connect", uri, ...words].map((word) => `[${word}]\n`).join(""),
    );
  });

  it("speaks English, whatever the operator speaks, and has the rest of the environment", async () => {
    const { virsh } = await begin(`echo "$LC_ALL/$LANGUAGE/$LESSOR_TEST"`);
    process.env.LANGUAGE = "de";
    process.env.LESSOR_TEST = "kept";
    try {
      expect(await virsh.call(["x"], { signal: signal() })).toBe("C//kept\n");
    } finally {
      delete process.env.LANGUAGE;
      delete process.env.LESSOR_TEST;
    }
  });

  it("gives what was printed whole, however much, also where a character comes in parts", async () => {
    const { virsh } = await begin(`head -c 3000000 /dev/zero | tr '\\0' x; printf '\\303'; sleep 0.05; printf '\\274'`);
    expect(await virsh.call(["x"], { signal: signal() })).toBe(`${"x".repeat(3_000_000)}ü`);
  });

  it("that fails says what virsh complained of, and not what it printed", async () => {
    const { virsh } = await begin("echo secret; echo 'error: failed to get domain x' >&2; exit 1");
    const error = await failure(virsh.call(["x"], { signal: signal() }));
    expect(error).toBeInstanceOf(VirshError);
    expect(error).toMatchObject({ message: "virsh ended with 1: failed to get domain x" });
  });

  it("that warns and succeeds has succeeded", async () => {
    const { virsh } = await begin("echo 'warning: x' >&2; echo done");
    expect(await virsh.call(["x"], { signal: signal() })).toBe("done\n");
  });

  it("may complain endlessly without stopping itself", async () => {
    const { virsh } = await begin("head -c 300000 /dev/zero | tr '\\0' x >&2; echo 'error: last' >&2; exit 1");
    const error = await failure(virsh.call(["x"], { signal: signal() }));
    expect(error).toMatchObject({ message: expect.stringMatching(/last$/) });
    expect(String(error).length).toBeLessThan(20_000);
  });

  it("that was killed by somebody else says so", async () => {
    const { virsh } = await begin("kill -9 $$");
    expect(await failure(virsh.call(["x"], { signal: signal() }))).toMatchObject({
      message: "virsh was ended by SIGKILL",
    });
  });

  it("where virsh is not installed tells which package has it", async () => {
    await usePath(await temporaryDirectory());
    const error = await failure(openVirsh(uri).call(["x"], { signal: signal() }));
    expect(error).toBeInstanceOf(VirshError);
    expect(error).toMatchObject({ message: expect.stringMatching(/install libvirt-clients/) });
  });
});

describe("what goes in", () => {
  it("is read under the name that is given for it, byte for byte, from its beginning, as often as one likes", async () => {
    const { virsh } = await begin(`cat ${fromInput}; cat ${fromInput}`);
    const input = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 128));
    expect(await virsh.call(["define", fromInput], { input, signal: signal() })).toBe(
      input.toString("latin1").repeat(2),
    );
  });

  it("is a file without a name, in memory, and in no list of processes", async () => {
    const { virsh } = await begin(`
      readlink /proc/self/fd/0
      grep -l 'hidden[-]value' /proc/[0-9]*/cmdline /proc/$$/environ 2>/dev/null
      grep -c 'hidden[-]value' ${fromInput}`);
    const printed = await virsh.call(["define", fromInput], { input: "a hidden-value\n", signal: signal() });
    expect(printed).toMatch(/^\/dev\/shm\/#\d+ \(deleted\)\n1\n$/);
  });

  it("is nothing where nothing is given", async () => {
    const { virsh } = await begin(`readlink /proc/self/fd/0; cat`);
    expect(await virsh.call(["x"], { signal: signal() })).toBe("/dev/null\n");
  });
});

describe("bytes", () => {
  it("are what was written to the name that is given for it, whatever they are", async () => {
    const { virsh } = await begin(`printf '\\000\\377\\n\\303' >${toOutput}`);
    expect([...(await virsh.bytes(["vol-download", toOutput], { signal: signal() }))]).toEqual([0, 255, 10, 0xc3]);
  });

  it("are none where nothing was written", async () => {
    const { virsh } = await begin("true");
    expect(await virsh.bytes(["x"], { signal: signal() })).toEqual(Buffer.alloc(0));
  });

  it("are none where it failed half-way: it fails", async () => {
    const { virsh } = await begin(`printf abc >${toOutput}; echo 'error: cannot recv data' >&2; exit 1`);
    expect(await failure(virsh.bytes(["x"], { signal: signal() }))).toMatchObject({ complaint: "cannot recv data" });
  });
});

describe("several commands in one process", () => {
  it("are one argument that is taken apart into the same words", async () => {
    const { virsh } = await begin(apart);
    const words = ["dumpxml", "a b", "it's", 'say "x"', "a;b", "$HOME", "\\", "", "*", "#x", "ü"];
    expect(await virsh.all([words], { signal: signal() })).toBe(words.map((word) => `[${word}]\n`).join(""));
  });

  it("stand one after the other, and plain words stay plain", async () => {
    const { virsh } = await begin(echo);
    const printed = await virsh.all(
      [
        ["domstate", "lessor-1", "--reason"],
        ["dumpxml", "a b"],
      ],
      { signal: signal() },
    );
    expect(printed.split("\n").at(-2)).toBe("[domstate lessor-1 --reason; dumpxml 'a b']");
  });
});

describe("a call that is given up", () => {
  it("ends with the signal's reason, and its process ends with all that it started", async () => {
    const { directory, virsh } = await begin(`trap '' TERM; sleep 60 & echo "$$ $!" >"$HERE/pids"; wait`);
    const controller = new AbortController();
    const call = failure(virsh.call(["x"], { signal: controller.signal }));
    const pids = () => {
      const path = join(directory, "pids");
      return existsSync(path) ? readFileSync(path, "utf8").trim().split(" ").map(Number) : [];
    };
    await eventually(() => pids().length).toBe(2);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await call).toBe(reason);
    await eventually(() => pids().filter(runs)).toEqual([]);
  });

  it("beforehand starts nothing", async () => {
    const { directory, virsh } = await begin(`touch "$HERE/started"`);
    const reason = new Error("too late");
    const given = { signal: AbortSignal.abort(reason), input: "x" };
    expect(await failure(virsh.call(["x"], given))).toBe(reason);
    expect(await failure(virsh.bytes(["x"], given))).toBe(reason);
    expect(await failure(virsh.all([["x"]], given))).toBe(reason);
    expect(existsSync(join(directory, "started"))).toBe(false);
  });

  it("while its input is being written ends too", async () => {
    const { virsh } = await begin("sleep 60");
    const controller = new AbortController();
    const call = failure(virsh.call(["x"], { signal: controller.signal, input: "x" }));
    controller.abort(new Error("enough"));
    expect(await call).toMatchObject({ message: "enough" });
  });
});

it("calls leave no file open behind, however they end", async () => {
  const { virsh } = await begin(`case "$5" in fail) exit 1;; hang) sleep 60;; esac; cat ${fromInput} >${toOutput}`);
  const unnamed = () =>
    readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).startsWith("/dev/shm/#")).length;
  const before = unnamed();
  for (const word of ["work", "fail", "hang"]) {
    const within = AbortSignal.any([signal(), ...(word === "hang" ? [AbortSignal.timeout(50)] : [])]);
    await virsh.bytes(["x", word], { signal: within, input: "x" }).catch(() => {});
  }
  expect(unnamed()).toBe(before);
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
