// The terminal of a simulated machine, looked at through a real terminal's screen (@xterm/headless).

import { setImmediate as others } from "node:timers/promises";
import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { SimulatedTerminal } from "./terminal.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const machine = {
  hostname: "training-1",
  image: "ubuntu-24.04",
  vcpus: 30,
  memoryGib: 200,
  storageGb: 512,
  gpus: [
    { model: "H100 SXM5", memoryGib: 80, address: "0000:17:00.0" },
    { model: "H100 SXM5", memoryGib: 80, address: "0000:2a:00.0" },
  ],
};
const prompt = "root@training-1:~# ";

function opened(of = machine, cols = 200) {
  const terminal = new SimulatedTerminal(of);
  const screen = new xterm.Terminal({ cols, rows: 60, allowProposedApi: true });
  let ends = 0;
  terminal.onData((data) => screen.write(data));
  terminal.onEnd(() => {
    ends += 1;
  });
  /** Every line on the screen, down to the cursor's. */
  const lines = async () => {
    await others();
    await new Promise<void>((shown) => screen.write("", shown));
    const { baseY, cursorY } = screen.buffer.active;
    const all = Array.from({ length: baseY + cursorY + 1 }, (_, row) => screen.buffer.active.getLine(row));
    return all.map((one) => one?.translateToString(true) ?? "");
  };
  return {
    terminal,
    lines,
    type: (text: string) => terminal.write(bytes(text)),
    ends: () => ends,
    /** The lines that come for a command, without the prompt after them. */
    answer: async (command: string) => {
      const before = (await lines()).length;
      terminal.write(bytes(`${command}\r`));
      return (await lines()).slice(before, -1);
    },
    /** What is typed in the line of the last prompt. */
    line: async () => (await lines()).at(-1)?.replace(prompt, ""),
  };
}

describe("the terminal of a simulated machine", () => {
  it("says what it is and prompts, also to one who listens late", async () => {
    const { lines } = opened();
    const [first, last] = await lines();
    expect(first).toContain("This is a simulated machine: nothing you type is executed.");
    expect(last).toBe(prompt);
  });

  it("shows what is typed, and prompts anew after each line", async () => {
    const { type, lines } = opened();
    type("echo hello\r");
    expect((await lines()).slice(1)).toEqual([`${prompt}echo hello`, "hello", prompt]);
    type("\r");
    expect((await lines()).slice(3)).toEqual([prompt, prompt]);
  });

  it("shows a character that came in two pieces as one", async () => {
    const { terminal, line } = opened();
    const [first, ...rest] = bytes("ü");
    terminal.write(Uint8Array.of(first ?? 0));
    terminal.write(Uint8Array.from(rest));
    expect(await line()).toBe("ü");
  });

  it.each([
    ["exit", "exit\r"],
    ["exit as another terminal sends it", "exit\n"],
    ["Ctrl-D", "\u0004"],
  ])("ends once by %s, and what is written then is lost", async (_what, typed) => {
    const { terminal, type, lines, ends } = opened();
    type(`${typed}more`);
    const last = await lines();
    type("still more\r");
    terminal.close();
    expect([ends(), await lines()]).toEqual([1, last]);
    expect(last.join()).not.toContain("more");
  });

  it("ends when it is closed, and tells one who asks later", () => {
    const { terminal, ends } = opened();
    terminal.resize(10, 10);
    terminal.close();
    terminal.close();
    expect(ends()).toBe(1);
    let told = 0;
    terminal.onEnd(() => {
      told += 1;
    });
    expect(told).toBe(1);
  });

  it("takes as much as anybody types, and keeps no more of a line than a shell would", async () => {
    const { type, line, terminal } = opened(machine, 5000);
    type("x".repeat(10_000));
    expect(await line()).toHaveLength(4096);
    type("y".repeat(10));
    expect(await line()).toBe("x".repeat(4096));
    expect(terminal.unread()).toBe(0);
  });

  it("takes lines that come together, however many", async () => {
    const { type, lines } = opened(machine, 5000);
    type(`echo ${"x".repeat(3000)}\r`.repeat(3));
    expect((await lines()).filter((line) => line === "x".repeat(3000))).toHaveLength(3);
  });

  it("does not suspend the service at Ctrl-Z", async () => {
    const { type, line } = opened();
    type("a\u001ab");
    expect(await line()).toBe("ab");
  });

  it("wraps a line at the width of the client's screen", async () => {
    const { type, terminal, lines } = opened();
    terminal.resize(40, 10);
    type("x".repeat(100));
    type("\u0001");
    await lines();
    type("y");
    expect((await lines()).join("").replaceAll(" ", "")).toContain(`#y${"x".repeat(20)}`);
  });
});

describe("a line", () => {
  it("rubs out what was typed, and never the prompt", async () => {
    const { type, lines, ends } = opened();
    const before = await lines();
    type("\u007f\u0015\u0017\u000b");
    expect(await lines()).toEqual(before);
    type("exi!\u007f");
    expect((await lines()).at(-1)).toBe(`${prompt}exi`);
    type("t\r");
    await lines();
    expect(ends()).toBe(1);
  });

  it.each([
    ["arrows", "ac\u001b[Db", "abc"],
    ["arrows of an application", "ac\u001bODb\u001bOCd", "abcd"],
    ["more arrows than there are letters", "b\u001b[D\u001b[D\u001b[Da\u001b[C\u001b[C\u001b[Cc", "abc"],
    ["Home and End", "b\u001b[Ha\u001b[Fc", "abc"],
    ["Ctrl-A and Ctrl-E", "b\u0001a\u0005c", "abc"],
    ["Backspace in the middle", "axb\u001b[D\u007f", "ab"],
    ["Delete", "axb\u001b[D\u001b[D\u001b[3~", "ab"],
    ["Ctrl-W", "one two  \u0017three", "one three"],
    ["Ctrl-U", "nonsense\u0015echo", "echo"],
    ["Ctrl-K", "echo nonsense\u0001\u001b[C\u001b[C\u001b[C\u001b[C\u000b", "echo"],
    ["a key that it does not know", "a\u001b[5~\u001b[1;5Cb\u001bxc", "abc"],
    ["letters of two columns of bytes", "aöü\u001b[D\u001b[D\u007fb", "böü"],
  ])("can be edited: %s", async (_name, typed, line) => {
    const one = opened();
    one.type(typed);
    expect(await one.line()).toBe(line);
    expect(await one.answer("")).toEqual(await one.answer(line));
  });

  it("of before comes again with the arrows, and the one that was not entered is empty", async () => {
    const { type, line } = opened();
    type("echo one\recho two\r\recho two\r");
    type("\u001b[A");
    expect(await line()).toBe("echo two");
    type("\u001b[A");
    expect(await line()).toBe("echo one");
    type("\u001b[B\u001b[B");
    expect(await line()).toBe("");
  });

  it("is given up by Ctrl-C, and not ended by Ctrl-D", async () => {
    const { type, lines, ends } = opened();
    type("exi\u0004\u0003t");
    expect((await lines()).slice(1)).toEqual([`${prompt}exi^C`, `${prompt}t`]);
    type("\r");
    await lines();
    expect(ends()).toBe(0);
  });

  it("stays when the screen is cleared", async () => {
    const { type, lines } = opened();
    type("echo a\u001b[D\u000c");
    expect(await lines()).toEqual([`${prompt}echo a`]);
    type("b");
    expect(await lines()).toEqual([`${prompt}echo ba`]);
  });
});

describe("a command", () => {
  it("is one of those that help shows, each of which answers", async () => {
    const listed = (await opened().answer("help")).flatMap((line) => /^ {2}([\w-]+) /.exec(line)?.[1] ?? []);
    expect(listed).toEqual(expect.arrayContaining(["help", "nvidia-smi", "uname", "echo", "exit"]));
    for (const name of listed) expect((await opened().answer(name)).join(), name).not.toContain("no such program");
  });

  it("tells of the machine that was rented", async () => {
    const answer = async (command: string) => (await opened().answer(command)).join("\n");
    const smi = await opened().answer("nvidia-smi");
    expect(smi.filter((line) => line.includes("H100 SXM5"))).toHaveLength(2);
    expect(smi.join()).toContain("0000:2a:00.0");
    expect(smi.join()).toContain("81920MiB");
    expect(smi.join()).toContain("simulated");
    expect(new Set(smi.map((line) => line.length)).size).toBe(1);
    expect(await answer("uname -a")).toMatch(/^Linux training-1 .*simulated/);
    expect([await answer("nproc"), await answer("hostname"), await answer("whoami")]).toEqual([
      "30",
      "training-1",
      "root",
    ]);
    expect(await answer("free")).toContain("200Gi");
    expect(await answer("df -h")).toContain("512G");
    expect(await answer("cat /etc/os-release")).toContain("ubuntu-24.04 (simulated)");
    expect((await opened({ ...machine, gpus: [] }).answer("nvidia-smi")).join()).toContain("No devices");
  });

  it.each(["rm -rf /", "python3", "constructor", "__proto__", "toString x"])(
    "that it has not, is said so: %s",
    async (line) => {
      expect(await opened().answer(line)).toEqual([expect.stringMatching(/not available in a simulated machine/)]);
    },
  );

  it("clears the screen", async () => {
    const { type, lines } = opened();
    type("clear\r");
    expect(await lines()).toEqual([prompt]);
  });
});
