// Where an instance's terminal is, and what the end of its connection means.

import { describe, expect, it } from "vitest";
import { endOf, terminalAddress } from "./terminal-address.ts";

const order = { controlUrl: "/control/v1", instanceId: "01a2", kind: "shell", columns: 120, rows: 30 } as const;

describe("a terminal's address", () => {
  it("is on the console's own origin", () => {
    expect(terminalAddress("http://127.0.0.1:8080/instances/01a2", order)).toBe(
      "ws://127.0.0.1:8080/control/v1/instances/01a2/terminal?kind=shell&columns=120&rows=30",
    );
  });

  it("is encrypted where the console is", () => {
    expect(terminalAddress("https://gpu.example.com/", { ...order, kind: "console" })).toMatch(
      /^wss:\/\/gpu\.example\.com\/control\/v1\/instances\/01a2\/terminal\?kind=console&/,
    );
  });

  it("follows an interface that is elsewhere", () => {
    const address = terminalAddress("https://gpu.example.com/", { ...order, controlUrl: "https://api.example.com/c" });
    expect(address).toMatch(/^wss:\/\/api\.example\.com\/c\/instances\//);
  });

  it("lets no id lead somewhere else", () => {
    expect(terminalAddress("http://x/", { ...order, instanceId: "../../x?" })).toContain(
      "/instances/..%2F..%2Fx%3F/terminal",
    );
  });
});

describe("the end of a terminal", () => {
  it("says why", () => {
    expect(endOf(1000, "")).toBe("The session has ended.");
    expect(endOf(4409, "The instance is not active.")).toBe("The instance is not active.");
    expect(endOf(1006, "")).toBe("The connection was lost or rejected.");
    expect(endOf(1011, "")).toBe("The connection was closed (1011).");
  });
});
