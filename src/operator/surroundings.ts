// The environment of this module's commands: where they run, and where their output goes.

import { loadConfig } from "../config.ts";
import { listed } from "../engines/check/finding.ts";
import { type EngineWithHardware, hardwareExamples, withHardware } from "../engines/kinds.ts";
import { createGpuHelper } from "../gpus/create-gpu-helper.ts";
import type { GpuHelperOf } from "../gpus/helper.ts";
import type { StatusLine } from "./status-line.ts";

export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** The directory of lessor.yaml. */
  readonly cwd: string;
  /** A line of output. */
  readonly print: (line: string) => void;
  /** A line for the user, separate from the output. */
  readonly tell: (line: string) => void;
  readonly status: StatusLine;
}

/** The command cannot be carried out; the message says why, and what to do. */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** The engines of lessor.yaml with hardware; at least one. Throws ConfigError, OperatorError. */
export function configuredEngines({ env, cwd }: Surroundings): readonly EngineWithHardware[] {
  const engines = loadConfig({ env, cwd }).engines.flatMap((one) => withHardware(one) ?? []);
  if (engines.length > 0) return engines;
  const what = listed(hardwareExamples.map((one) => `no ${one.what}`));
  const example = hardwareExamples.map(({ yaml }) => yaml).join("\n");
  throw new OperatorError(
    `The settings have ${what}. Add some to lessor.yaml (docs/tutorials/first-gpu-host.md), such as:\n\n${example}`,
  );
}

/** The GPU helpers of lessor.yaml. Undefined: it has none. Throws ConfigError. */
export function configuredGpuHelpers({ env, cwd }: Surroundings): GpuHelperOf | undefined {
  const { helpers } = loadConfig({ env, cwd }).gpus;
  return helpers.length === 0 ? undefined : createGpuHelper(helpers);
}

/** The engine of this name. Throws OperatorError. */
export function engineNamed(engines: readonly EngineWithHardware[], name: string): EngineWithHardware {
  const found = engines.find((engine) => engine.name === name);
  if (found !== undefined) return found;
  const known = engines.map((engine) => engine.name).join(", ");
  throw new OperatorError(`The settings have no engine ${name}. Engines: ${known}.`);
}
