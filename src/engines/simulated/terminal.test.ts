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

function opened(of = machine) {
  const terminal = new SimulatedTerminal(of);
  const seen: Uint8Array[] = [];
  let ends = 0;
  terminal.onData((data) => seen.push(data));
  terminal.onEnd(() => {
    ends += 1;
  });
  const shown = () => Buffer.concat(seen).toString();
  return {
    terminal,
    shown,
    type: (text: string) => terminal.write(bytes(text)),
    ends: () => ends,
    /** The lines that come for a command, without the prompt after them. */
    answer: (command: string) => {
      const before = shown().length;
      terminal.write(bytes(`${command}\r`));
      return shown().slice(before).replace(`${command}\r\n`, "").replace(prompt, "").split("\r\n").slice(0, -1);
    },
    /** What a screen has in the line that is typed, after all that was shown of it. */
    line: () => lineOnScreen(shown().slice(shown().lastIndexOf(prompt) + prompt.length)),
  };
}

/** As a terminal shows it: characters, going back and on, and the rest of the line rubbed out. */
function lineOnScreen(shown: string): string {
  const cells: string[] = [];
  let at = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  for (const [whole, count, what] of shown.matchAll(/\u001b\[(\d*)([CDK])|[\s\S]/gu)) {
    if (what === "C") at += Number(count || 1);
    else if (what === "D") at -= Number(count || 1);
    else if (what === "K") cells.length = at;
    else if (whole === "\b") at -= 1;
    else cells[at++] = whole;
  }
  return cells.join("").trimEnd();
}

describe("the stand-in for a terminal", () => {
  it("says what it is and prompts, also to one who listens late", () => {
    const { shown } = opened();
    expect(shown()).toContain("This is a simulated machine: nothing that you type runs anywhere.");
    expect(shown().endsWith(`\r\n${prompt}`)).toBe(true);
  });

  it("shows what is typed, and prompts anew after each line", () => {
    const { type, shown } = opened();
    type("echo hello\r");
    expect(shown().endsWith(`${prompt}echo hello\r\nhello\r\n${prompt}`)).toBe(true);
    type("\r");
    expect(shown().endsWith(`\r\n${prompt}\r\n${prompt}`)).toBe(true);
  });

  it("shows a character that came in two pieces as one", () => {
    const { terminal, line } = opened();
    const [first, ...others] = bytes("ü");
    terminal.write(Uint8Array.of(first ?? 0));
    terminal.write(Uint8Array.from(others));
    expect(line()).toBe("ü");
  });

  it.each([
    ["exit", "exit\r"],
    ["exit as another terminal sends it", "exit\n"],
    ["Ctrl-D", "\u0004"],
  ])("ends once by %s, and what is written then is lost", (_what, typed) => {
    const { terminal, type, shown, ends } = opened();
    type(`${typed}more`);
    const last = shown();
    type("still more\r");
    terminal.close();
    expect([ends(), shown()]).toEqual([1, last]);
    expect(last).not.toContain("more");
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

  it("takes as much as anybody types, and keeps no more of a line than a shell would", () => {
    const { type, line, terminal } = opened();
    type("x".repeat(10_000));
    expect(line()).toHaveLength(4096);
    expect(terminal.unread()).toBe(0);
  });
});

describe("a line", () => {
  it("rubs out what was typed, and never the prompt", () => {
    const { type, shown, ends } = opened();
    const before = shown();
    type("\u007f\u0015\u0017\u000b");
    expect(shown()).toBe(before);
    type("exi!\u007ft\r");
    expect(shown()).toContain("exi!\b \bt");
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
  ])("can be edited: %s", (_name, typed, line) => {
    const stand = opened();
    stand.type(typed);
    expect(stand.line()).toBe(line);
    expect(stand.answer("")).toEqual(stand.answer(line));
  });

  it("of before comes again with the arrows, and the one that was not entered is empty", () => {
    const { type, line } = opened();
    type("echo one\recho two\r\recho two\r");
    type("\u001b[A");
    expect(line()).toBe("echo two");
    type("\u001b[A\u001b[A\u001b[A");
    expect(line()).toBe("echo one");
    type("\u001b[B\u001b[B");
    expect(line()).toBe("");
  });

  it("is given up by Ctrl-C, and not ended by Ctrl-D", () => {
    const { type, shown, ends } = opened();
    type("exi\u0004\u0003t\r");
    expect(ends()).toBe(0);
    expect(shown()).toContain("exi^C\r\n");
  });

  it("stays when the screen is cleared", () => {
    const { type, shown } = opened();
    type("echo a\u001b[D\u000c");
    expect(shown().endsWith(`\u001b[H\u001b[2J${prompt}echo a\u001b[1D`)).toBe(true);
  });
});

describe("a command", () => {
  it("is one of those that help shows, each of which answers", () => {
    const { answer } = opened();
    const listed = answer("help").flatMap((line) => /^ {2}([\w-]+) /.exec(line)?.[1] ?? []);
    expect(listed).toEqual(expect.arrayContaining(["help", "nvidia-smi", "uname", "echo", "exit"]));
    for (const name of listed) expect(opened().answer(name).join(), name).not.toContain("no such program");
  });

  it("tells of the machine that was rented", () => {
    const { answer } = opened();
    const smi = answer("nvidia-smi");
    expect(smi.filter((line) => line.includes("H100 SXM5"))).toHaveLength(2);
    expect(smi.join()).toContain("0000:2a:00.0");
    expect(smi.join()).toContain("81920MiB");
    expect(smi.join()).toContain("simulated");
    expect(new Set(smi.map((line) => line.length)).size).toBe(1);
    expect(answer("uname -a").join()).toMatch(/^Linux training-1 .*simulated/);
    expect([answer("nproc"), answer("hostname"), answer("whoami")]).toEqual([["30"], ["training-1"], ["root"]]);
    expect(answer("free").join()).toContain("200Gi");
    expect(answer("df -h").join()).toContain("512G");
    expect(answer("cat /etc/os-release").join()).toContain("ubuntu-24.04 (simulated)");
    expect(
      opened({ ...machine, gpus: [] })
        .answer("nvidia-smi")
        .join(),
    ).toContain("No devices");
  });

  it.each(["rm -rf /", "python3", "constructor", "__proto__", "toString x"])(
    "that it has not, is said so: %s",
    (line) => {
      const { answer } = opened();
      expect(answer(line)).toEqual([expect.stringMatching(/simulated and has no such program/)]);
    },
  );

  it("clears the screen", () => {
    const { type, shown } = opened();
    type("clear\r");
    expect(shown().endsWith(`\u001b[H\u001b[2J${prompt}`)).toBe(true);
  });
});
