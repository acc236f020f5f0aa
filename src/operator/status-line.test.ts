import { describe, expect, it } from "vitest";
import { statusLine } from "./status-line.ts";

function terminal(isTTY: boolean) {
  let written = "";
  const write = (text: string | Uint8Array) => {
    written += text;
    return true;
  };
  return { stream: { isTTY, columns: 20, write }, written: () => written };
}

describe("the status line", () => {
  it("replaces itself, fits the terminal, and is gone before output is printed", () => {
    const { stream, written } = terminal(true);
    const status = statusLine(stream);
    status.show("creating");
    status.show("waiting for SSH to answer");
    status.clear();
    status.clear();
    expect(written()).toBe("\r\x1b[Kcreating\r\x1b[Kwaiting for SSH to \r\x1b[K");
  });

  it("says nothing where nobody watches", () => {
    const { stream, written } = terminal(false);
    const status = statusLine(stream);
    status.show("creating");
    status.clear();
    expect(written()).toBe("");
  });
});
