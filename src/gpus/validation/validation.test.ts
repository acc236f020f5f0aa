// The contract with validation images: the request as user-data, and what of the output of a machine is a verdict.

import { describe, expect, it } from "vitest";
import { requestIn, userDataOf } from "./request.ts";
import { evidenceOf, mostEvidence, verdictIn } from "./verdict.ts";

const nonce = "0123456789abcdef0123456789abcdef";
const other = "fedcba9876543210fedcba9876543210";
const line = (verdict: string, gpus = 2, detail = "r2", of = nonce) =>
  `LESSOR-GPU-VALIDATION ${of} ${JSON.stringify({ verdict, gpus, detail })}\r\n`;

describe("the request", () => {
  it("is read from the user-data as it was written, and from no other", () => {
    const request = { nonce, gpus: 2, model: "h100", previous: [other] };
    expect(requestIn(userDataOf(request))).toMatchObject(request);
    for (const text of [undefined, "", "#!/bin/sh\n", "#cloud-config\n{", "#cloud-config\n{}", "#cloud-config\na: 1\n"])
      expect(requestIn(text)).toBeUndefined();
    expect(requestIn(userDataOf({ ...request, nonce: "x" }))).toBeUndefined();
  });
});

describe("a verdict", () => {
  it.each([
    ["pass", "passed"],
    ["warn", "warned"],
    ["fail", "failed"],
  ])("%s counts as %s", (word, verdict) => {
    expect(verdictIn(`booting\r\n${line(word)}login:`, nonce, 2)).toEqual({ verdict, detail: "r2" });
  });

  it("counts only on a whole line with the nonce of the validation, and as documented", () => {
    const nothing = [
      ...["", line("pass").trimEnd(), line("pass", 2, "", other), line("good"), line("pass", 2, "x".repeat(5000))],
      `LESSOR-GPU-VALIDATION ${nonce} {"verdict":"pass"\n`,
      `LESSOR-GPU-VALIDATION ${nonce} {"verdict":"pass"}\n`,
      `LESSOR-GPU-VALIDATION {"verdict":"pass","gpus":2}\n`,
    ];
    for (const output of nothing) expect(verdictIn(output, nonce, 2)).toBeUndefined();
    expect(verdictIn(`[  1.0] usb 1-1${line("pass")}`, nonce, 2)?.verdict).toBe("passed");
  });

  it("that the kernel printed into can be a fault, which no pass overrules, and is never a pass", () => {
    const begin = `LESSOR-GPU-VALIDATION ${nonce}`;
    const kernel = "[   12.3] NVRM: Xid 79";
    const garbled = (word: string) => [
      `${begin} {"verdict":"${word}","gpus":2}${kernel}\n`,
      `${begin} {"verdict":"${word}","gp${kernel}\nus":2}\n`,
      `${begin} ${kernel}{"verdict" : "${word}","gpus":2}\n`,
      `${line(word).trimEnd()}${line("pass")}`,
      `${begin} {"verdict":"${word}"}\n`,
      line(word, 2, "x".repeat(5000)),
    ];
    const verdict = (output: string) => verdictIn(output, nonce, 2)?.verdict;
    for (const output of garbled("fail")) expect(verdict(line("pass") + output + line("pass"))).toBe("failed");
    for (const output of garbled("warn")) {
      expect(verdict(output + line("pass"))).toBe("warned");
      expect(verdict(output + line("fail"))).toBe("failed");
    }
    for (const output of garbled("pass")) {
      expect(verdict(output)).toBeUndefined();
      expect(verdict(output + line("pass"))).toBe("passed");
    }
    expect(verdict(`${begin} {"verdict":"fa${kernel}\nil","gpus":2}\n${line("fail")}`)).toBe("failed");
    expect(verdict(`LESSOR-GPU-VALIDATION ${other} {"verdict":"fail"${kernel}\n${line("pass")}`)).toBe("passed");
    expect(verdict(line("pass", 2, '"verdict":"fail"'))).toBe("passed");
  });

  it("is the worst of several, and a fault where GPUs are missing", () => {
    expect(verdictIn(line("pass") + line("warn") + line("fail") + line("pass"), nonce, 2)?.verdict).toBe("failed");
    expect(verdictIn(line("pass") + line("warn"), nonce, 2)?.verdict).toBe("warned");
    expect(verdictIn(line("pass", 1), nonce, 2)).toEqual({ verdict: "failed", detail: "It found 1 of 2 GPUs. r2" });
  });

  it("has a detail of one printable line", () => {
    expect(verdictIn(line("pass", 2, "a\n\u001b[31mb\u202ec\u0000"), nonce, 2)?.detail).toBe("a bc");
  });
});

describe("the evidence", () => {
  it("is the end of the console, printable and limited", () => {
    const evidence = evidenceOf("failed: r2", `old\r\n${"ä\u0000".repeat(20_000)}\u001b[1mend\r\n`);
    expect(Buffer.byteLength(evidence)).toBeLessThanOrEqual(mostEvidence);
    expect(evidence).toMatch(/^failed: r2\nThe end of its console:\n[ä\ufffd]+end$/);
    expect(evidenceOf("failed", "")).toBe("failed");
  });
});
