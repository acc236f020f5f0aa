// `lessor engine check [name]`: whether the engines of lessor.yaml (clusters, libvirt hosts) are ready, line by line,
// and what to do if not. It contacts them directly; a service need not run, and is not affected.

import type { Finding } from "../engines/check/finding.ts";
import type { CheckOptions } from "../engines/check/options.ts";
import type { EngineWithHardware } from "../engines/kinds.ts";
import { ConfigError } from "../settings/error.ts";
import { findingJson, findingLine, summaryLine } from "./finding-line.ts";
import { Interrupted, interruptedExitCode, interruptible } from "./interrupt.ts";
import {
  configuredEngines,
  configuredGpuHelpers,
  engineNamed,
  OperatorError,
  type Surroundings,
} from "./surroundings.ts";

export interface EngineCheckOrder {
  /** Undefined: all engines. */
  readonly name: string | undefined;
  readonly json: boolean;
  /** Whether to create test instances. */
  readonly probe: boolean;
  /** The image of test instances; undefined: the check chooses one. */
  readonly image: string | undefined;
  /** Seconds, as entered. */
  readonly deadline: string;
}

/** The program's exit codes. */
const exit = { fit: 0, problems: 1, couldNotRun: 2 } as const;

/** Returns the exit code: 0 ready, 1 problems, 2 could not run, 130 interrupted. */
export async function engineCheck(order: EngineCheckOrder, surroundings: Surroundings): Promise<number> {
  const { tell, status } = surroundings;
  try {
    const options = optionsOf(order, surroundings);
    const engines = configuredEngines(surroundings);
    const chosen = order.name === undefined ? engines : [engineNamed(engines, order.name)];
    return await interruptible(
      (signal) => checkAll(chosen, order, options, surroundings, signal),
      () => {
        status.clear();
        tell(
          "Interrupted. The test instance is being deleted. Press Ctrl-C again to leave it; the next check deletes it.",
        );
      },
    );
  } catch (error) {
    status.clear();
    if (error instanceof Interrupted) return interruptedExitCode;
    if (!(error instanceof ConfigError || error instanceof OperatorError)) throw error;
    tell(error.message);
    return exit.couldNotRun;
  }
}

/** Throws OperatorError. */
function optionsOf({ probe, image, deadline }: EngineCheckOrder, surroundings: Surroundings): CheckOptions {
  const { env, status } = surroundings;
  const deadlineSeconds = Number(deadline);
  if (!(deadlineSeconds >= 1 && deadlineSeconds <= 86_400)) {
    throw new OperatorError("--deadline must be a number of seconds from 1 to 86400.");
  }
  return {
    probe: probe ? { image, deadlineSeconds } : undefined,
    gpuHelper: configuredGpuHelpers(surroundings),
    path: env.PATH ?? "",
    onProgress: (what) => status.show(`…        ${what}`),
  };
}

async function checkAll(
  engines: readonly EngineWithHardware[],
  { json }: EngineCheckOrder,
  options: CheckOptions,
  { print, status }: Surroundings,
  signal: AbortSignal,
): Promise<number> {
  let fit = true;
  for (const engine of engines) {
    if (!json && engines.length > 1) print(`${engine.name}:`);
    const findings: Finding[] = [];
    for await (const finding of engine.check(options, signal)) {
      findings.push(finding);
      status.clear();
      print(json ? findingJson(engine.name, finding) : findingLine(finding));
    }
    status.clear();
    if (!json) print(summaryLine(engine.name, findings));
    if (findings.some(({ verdict }) => verdict === "problem")) fit = false;
  }
  return fit ? exit.fit : exit.problems;
}
