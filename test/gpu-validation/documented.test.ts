// docs/reference/gpu-validation.md against what the service reads and writes.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { requestFile, requestIn, userDataOf, validationCommand } from "../../src/gpus/validation/request.ts";
import { verdictIn } from "../../src/gpus/validation/verdict.ts";
import { quarantineReasons, verdictWords } from "../../src/rules/gpu-lifecycle.ts";

const page = readFileSync(new URL("../../docs/reference/gpu-validation.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, text = ""]) => text);
const [request = ""] = blocks("json");
const [command = "", printed = ""] = blocks("text");

describe("the page about validations", () => {
  it("shows a request as it is written, and where", () => {
    const { version, ...order } = JSON.parse(request) as Parameters<typeof userDataOf>[0] & { version: 1 };
    expect(requestIn(userDataOf(order))).toEqual({ version, ...order });
    expect(command.trim()).toBe(`${validationCommand} ${requestFile}`);
  });

  it("shows a verdict as it is read, and what follows from each", () => {
    const { nonce, gpus } = JSON.parse(request) as { nonce: string; gpus: number };
    expect(verdictIn(printed, nonce, gpus)).toEqual({ verdict: "passed", detail: "dcgmi diag -r 2" });
    for (const word of verdictWords) expect(page).toContain(`| \`${word}\` |`);
    for (const reason of Object.keys(quarantineReasons).filter((one) => one.startsWith("validation-")))
      expect(page).toContain(`\`${reason}\``);
  });
});
