// Tests of the rules in the schema of lessor.yaml: for each setting of an engine, values it takes and values it refuses.
// Used by the tests of engines/*/settings/.

import { describe, expect, it } from "vitest";
import type { EngineKindName } from "../../src/engines/kinds.ts";
import { ConfigError } from "../../src/settings/error.ts";

/** A setting, values it takes, values it refuses, and words of the refusal. No refused value is part of a rule's words. */
export interface SettingRule {
  /** Such as `a.b[0]`, in the engine. */
  readonly path: string;
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
  readonly says: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** The message of the ConfigError that `attempt` throws. */
export function refusalOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

/**
 * Declares the tests. `parse` reads a file whose one engine of this kind has these settings beside those it needs; `beside`
 * is what a setting needs inside of it, so that the one at `path` is the only one in question.
 */
export function holdRules(
  kind: EngineKindName,
  parse: (settings: Settings) => { readonly [Kind in EngineKindName]?: unknown },
  rules: readonly SettingRule[],
  beside: Readonly<Record<string, Settings>> = {},
): void {
  describe.each(rules)(`${kind}[].$path`, ({ path, takes, refuses, says }) => {
    it.each(takes.map((value) => ({ value })))("takes $value", ({ value }) => {
      expect(parse(nested(path, value, beside))[kind]).toHaveLength(1);
    });

    it.each(refuses.map((value) => ({ value })))(
      "refuses $value, naming setting and rule and not the value",
      ({ value }) => {
        const message = refusalOf(() => parse(nested(path, value, beside)));
        expect(message.startsWith(`${called(kind, path)} in lessor.yaml must be `)).toBe(true);
        expect(message).toContain(says);
        expect(message).not.toMatch(/hunter|4711|12345678/);
        if (typeof value === "string" && value.length > 4) expect(message).not.toContain(value);
      },
    );
  });
}

/** Settings with `value` at `path`: "a.b[0]" becomes { a: { b: [value] } }. */
function nested(path: string, value: unknown, beside: Readonly<Record<string, Settings>>): Settings {
  const steps = path.replaceAll("[0]", ".[0]").split(".");
  let inner = value;
  for (const [index, step] of [...steps.entries()].reverse()) {
    const way = steps
      .slice(0, index + 1)
      .join(".")
      .replaceAll(".[0]", "[0]");
    const more = index === steps.length - 1 ? undefined : beside[way];
    if (more !== undefined) inner = { ...more, ...(inner as Settings) };
    inner = step === "[0]" ? [inner] : { [step]: inner };
  }
  return inner as Settings;
}

const called = (kind: string, path: string) => `${kind}[0].${path}`.replace(".10de:2331", "['10de:2331']");
