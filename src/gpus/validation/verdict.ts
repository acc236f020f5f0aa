// The verdict of a validation, found in what its machine printed on its serial console, and the evidence that is kept of
// it. docs/reference/gpu-validation.md documents the line. Used by the reconciler.
//
// Invariant: the output is untrusted. Only a whole line with the nonce of this validation counts, the worst one if there
// are several. A line that is not as documented can only warn or fail, where its readable part says so: no pass overrules
// a fault that the kernel printed into. What is kept is printable text of limited length.

import { Type } from "typebox";
import { Check } from "typebox/value";
import type { Verdict } from "../../rules/gpu-lifecycle.ts";

/** Begins the line, before the nonce and the verdict as JSON. */
export const verdictMarker = "LESSOR-GPU-VALIDATION";

/** Of evidence, in bytes of UTF-8. */
export const mostEvidence = 16 * 1024;
/** Of a line with a verdict, and of its detail. In characters. */
const mostLine = 4096;
const mostDetail = 2000;
/** Only so much of the end is read. In characters. */
const mostOutput = 1024 * 1024;

const words = { pass: "passed", warn: "warned", fail: "failed" } as const satisfies Record<string, Verdict>;
const worstFirst = ["failed", "warned", "passed"] as const satisfies readonly Verdict[];

const Line = Type.Object({
  // Object.keys returns strings; these are the keys of the table.
  verdict: Type.Enum(Object.keys(words) as (keyof typeof words)[]),
  gpus: Type.Integer({ minimum: 0 }),
  detail: Type.Optional(Type.String({ maxLength: mostDetail })),
});

export interface FoundVerdict {
  readonly verdict: (typeof worstFirst)[number];
  /** One line for operators. */
  readonly detail: string;
}

/** The verdict on exactly `gpus` GPUs; on another number it is `failed`. Undefined: there is none yet. */
export function verdictIn(output: string, nonce: string, gpus: number): FoundVerdict | undefined {
  const found = output
    .slice(-mostOutput)
    .split(/\r\n|\r|\n/)
    // The last one might not be complete yet.
    .slice(0, -1)
    .flatMap((line) => verdictOf(line, nonce, gpus) ?? []);
  return worstFirst.flatMap((verdict) => found.filter((one) => one.verdict === verdict)).at(0);
}

function verdictOf(line: string, nonce: string, gpus: number): FoundVerdict | undefined {
  // The kernel can print into the line before it.
  const start = line.indexOf(`${verdictMarker} ${nonce} `);
  if (start < 0) return undefined;
  const text = line.slice(start + verdictMarker.length + nonce.length + 2);
  const told = line.length - start > mostLine ? undefined : parsed(text);
  if (!Check(Line, told)) return garbledVerdict(text);
  const detail = printable(told.detail ?? "").replaceAll("\n", " ");
  if (told.gpus !== gpus) {
    return { verdict: "failed", detail: `It found ${told.gpus} of ${gpus} GPUs. ${detail}`.trimEnd() };
  }
  return { verdict: words[told.verdict], detail };
}

/** Undefined if it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a line that is not as documented. Within the detail of one that is, quotation marks are escaped. */
function garbledVerdict(text: string): FoundVerdict | undefined {
  const found = (["fail", "warn"] as const).find((word) => new RegExp(`"verdict"\\s*:\\s*"${word}"`).test(text));
  return found && { verdict: words[found], detail: "Its line is not as documented." };
}

/** What is kept: what was found, and the end of the output. */
export function evidenceOf(found: string, output: string): string {
  const head = `${printable(found)}\n`;
  const tail = printable(output.slice(-mostEvidence)).trimEnd();
  const room = mostEvidence - Buffer.byteLength(head) - Buffer.byteLength(consoleTitle);
  const bytes = Buffer.from(tail);
  // A character that was cut in two becomes a replacement character, which is longer than its rest.
  const kept = bytes.length <= room ? tail : bytes.subarray(bytes.length - room + 8).toString("utf8");
  return tail === "" ? head.trimEnd() : `${head}${consoleTitle}${kept}`;
}

const consoleTitle = "The end of its console:\n";

/** Without control characters but line feeds, and without those that turn the direction of text. */
function printable(text: string): string {
  return (
    text
      .replace(/\r\n?/g, "\n")
      // ANSI escape sequences, so that their letters do not remain.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
      .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
      .replace(/[^\P{C}\n\t]/gu, "")
  );
}
