import { describe, expect, it } from "vitest";
import { SimulatedTerminal } from "./terminal.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function opened() {
  const terminal = new SimulatedTerminal("training-1");
  const seen: Uint8Array[] = [];
  let ends = 0;
  terminal.onData((data) => seen.push(data));
  terminal.onEnd(() => {
    ends += 1;
  });
  return {
    terminal,
    type: (text: string) => terminal.write(bytes(text)),
    shown: () => Buffer.concat(seen).toString(),
    ends: () => ends,
  };
}

describe("the stand-in for a terminal", () => {
  it("says what it is and prompts, also to one who listens late", () => {
    const { shown } = opened();
    expect(shown()).toMatch(/^This is a simulated machine: .*\r\nroot@training-1:~# $/);
  });

  it("shows what is typed, and prompts anew after each line", () => {
    const { type, shown } = opened();
    type("echo hello\r");
    expect(shown()).toMatch(/# echo hello\r\nroot@training-1:~# $/);
  });

  it("shows a character that came in two pieces as one", () => {
    const { terminal, shown } = opened();
    const [first, ...others] = bytes("ü");
    terminal.write(Uint8Array.of(first ?? 0));
    terminal.write(Uint8Array.from(others));
    expect(shown()).toMatch(/# ü$/);
  });

  it("rubs out what was typed, and never the prompt", () => {
    const { type, shown, ends } = opened();
    const before = shown();
    type("\u007f");
    expect(shown()).toBe(before);
    type("exi!\u007ft\r");
    expect(shown()).toContain("exi!\b \bt");
    expect(ends()).toBe(1);
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

  it("goes on after Ctrl-C, and after Ctrl-D within a line", () => {
    const { type, shown, ends } = opened();
    type("exi\u0004\u0003");
    type("t\r");
    expect(ends()).toBe(0);
    expect(shown()).toContain("exi^C\r\n");
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
});
