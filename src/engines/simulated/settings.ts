// `simulated:` in lessor.yaml: how long simulated machines take to boot, halt and move. There is always one such engine; it
// has no hosts until an operator registers some. Used by kind.ts and engine.ts.

import type { Static } from "typebox";
import { ConfigError } from "../../settings/error.ts";
import { group, integer, secondsRange } from "../../settings/schema-parts.ts";
import { settingIn } from "../../settings/setting-path.ts";
import type { SettingsFile } from "../kind.ts";

export const SimulatedSchema = group({
  boot_seconds: secondsRange(),
  stop_seconds: secondsRange(),
  copy_seconds: secondsRange(),
  seed: integer(0, Number.MAX_SAFE_INTEGER),
});

export interface SimulatedDurations {
  /** Minimum and maximum seconds of a boot. 2 to 6. */
  readonly bootSeconds: readonly [least: number, most: number];
  /** Minimum and maximum seconds of a halt. 0.5 to 1.5. */
  readonly stopSeconds: readonly [least: number, most: number];
  /** Minimum and maximum seconds of copying a machine to another host. 2 to 6. Undefined: 0. */
  readonly copySeconds?: readonly [least: number, most: number];
  /** Gives the same durations in every run; undefined: random ones. */
  readonly seed: number | undefined;
}

export interface SimulatedSettings extends SimulatedDurations {
  readonly name: "simulated";
}

/** The only engine of this kind, with defaults. Throws ConfigError. */
export function resolveSimulated(
  settings: Static<typeof SimulatedSchema> | undefined,
  file: SettingsFile,
): readonly SimulatedSettings[] {
  const range = (key: "boot_seconds" | "stop_seconds" | "copy_seconds", otherwise: readonly [number, number]) => {
    const [least, most] = settings?.[key] ?? otherwise;
    if (least <= most) return [least, most] as const;
    const name = settingIn(["simulated", key], file.name);
    throw new ConfigError(`${name} must be [least, most], with least not above most.`);
  };
  return [
    {
      name: "simulated",
      bootSeconds: range("boot_seconds", [2, 6]),
      stopSeconds: range("stop_seconds", [0.5, 1.5]),
      copySeconds: range("copy_seconds", [2, 6]),
      seed: settings?.seed,
    },
  ];
}
