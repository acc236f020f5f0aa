// The contract as docs/reference/gpu-helper.md shows it, as the service reads it, and as the helper of the package keeps it.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { HelperError, mostResetAddresses } from "../../src/gpus/helper.ts";
import { helperErrors, resetFailures } from "../../src/gpus/helper-codes.ts";
import { resultOf } from "../../src/gpus/response.ts";
import { HealthResult, ListResult, NoResult, ResetResult } from "../../src/gpus/wire.ts";
import { helperProgram } from "../support/fake-gpu-host.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/reference/gpu-helper.md"), "utf8");
const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
const results = {
  ...{ list: ListResult, reset: ResetResult, activate: NoResult, deactivate: NoResult, health: HealthResult },
};
const folder = dirname(helperProgram);

describe("the page of the GPU helper", () => {
  it("has an example of each action, whose response the service reads", () => {
    const read = new Map<string, string>();
    for (let at = 0; at < examples.length; at += 2) {
      const request: { version: number; action: keyof typeof results } = JSON.parse(examples[at] ?? "");
      expect(request.version).toBe(1);
      try {
        const text = examples[at + 1] ?? "";
        resultOf({ text, exitCode: "error" in JSON.parse(text) ? 1 : 0 }, results[request.action]);
        read.set(request.action, "result");
      } catch (error) {
        if (!(error instanceof HelperError)) throw error;
        read.set(request.action, error.code);
      }
    }
    expect(Object.fromEntries(read)).toEqual({
      ...{ list: "result", reset: "result", activate: "result", deactivate: "unknown-partition", health: "result" },
    });
  });

  it("has every field of the configuration with its default", () => {
    const program =
      "import json, sys; sys.path.insert(0, sys.argv[1]); import settings; print(json.dumps(settings.DEFAULTS))";
    const defaults: object = JSON.parse(execFileSync("python3", ["-B", "-c", program, folder], { encoding: "utf8" }));
    const rows = [...page.matchAll(/^\| `(\w+)` \| (?:`(.*?)`|(\d+)) \| /gm)];
    expect(Object.fromEntries(rows.map(([, name, text, number]) => [name, JSON.parse(text ?? number ?? "")]))).toEqual(
      defaults,
    );
  });
});

describe("the helper of the package", () => {
  it("has only codes of the contract, and every one that is its own", () => {
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const used = sources.flatMap((text) => [...text.matchAll(/Failure\("([a-z-]+)"/g)].map(([, code]) => code));
    const own = Object.entries(helperErrors).filter(([, { by }]) => by === "helper");
    // It says itself what ended in no time.
    const failures = Object.keys(resetFailures).filter((code) => code !== "deadline");
    expect([...new Set(used)].sort()).toEqual([...own.map(([code]) => code), ...failures].sort());
  });

  it("takes as many addresses as the service asks for at once", () => {
    const [, most] = /^MOST_ADDRESSES = (\d+)$/m.exec(readFileSync(helperProgram, "utf8")) ?? [];
    expect(Number(most)).toBe(mostResetAddresses);
    expect(page).toContain(`Takes 1 to ${mostResetAddresses} addresses`);
  });
});
