// The line of a read from memory, held against the line that pino would write.

import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLog } from "../../log.ts";
import type { Answered } from "../cached/fast-path.ts";
import type { FastPathEntry } from "../cached/fast-path-index.ts";
import { answeredLog } from "./request-log.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

function answered(part: Partial<Answered> = {}): Answered {
  const route = '/instances/"odd"/:id';
  const token = { principal: { accountId: "account", tokenId: "token", scopes: new Set() } };
  return {
    // Of all these the line has only what is here.
    ...{
      entry: { route } as FastPathEntry,
      request: {} as IncomingMessage,
      token: token as unknown as Answered["token"],
    },
    ...{ requestId: "0b0e", address: "fe80::1%eth\n0", status: 200, milliseconds: 0.12678, ...part },
  };
}

it("is letter for letter pino's", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) }).child({ of: "one" });
  const write = answeredLog(log);
  const first = answered();
  write(first);
  write({ ...first, status: 304, requestId: "other", milliseconds: 12, address: "192.0.2.1" });
  const same = { method: "GET", route: first.entry.route, account_id: "account", token_id: "token" };
  log.info({ ...same, request_id: "0b0e", status: 200, address: first.address, ms: 0.13 }, "request");
  log.info({ ...same, request_id: "other", status: 304, address: "192.0.2.1", ms: 12 }, "request");
  expect(lines.slice(0, 2)).toEqual(lines.slice(2));
});

it("is not written where the log is less talkative", () => {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line) => void lines.push(line) });
  answeredLog(log)(answered());
  expect(lines).toEqual([]);
});
