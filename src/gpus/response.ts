// Reads the GPU helper's response: checks it against the schemas of wire.ts, and translates it into the types of
// helper.ts. Used by create-gpu-helper.ts.
//
// Invariant: a response that contradicts itself is no result. Text of the host becomes one line of limited length, and
// lists have the order that helper.ts promises.

import { type Static, type TSchema, Type } from "typebox";
import { Check, Errors } from "typebox/value";
import { HelperError, type HelperHealth, type HelperList, type ResetVerdict } from "./helper.ts";
import { oneLine } from "./one-line.ts";
import { contractVersion, ErrorResponse, type HealthResult, type ListResult, type ResetResult } from "./wire.ts";

const Response = Type.Object({
  version: Type.Integer(),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
});

/** What the command printed on its standard output, and the exit code that it ended with. */
export interface Printed {
  readonly text: string;
  readonly exitCode: 0 | 1;
}

/**
 * The `result` of the response. Throws HelperError: the helper's own, or because this is no response, or one that
 * contradicts itself: only a `result` alone, with exit code 0, is one, and only an `error` alone, with exit code 1.
 */
export function resultOf<Schema extends TSchema>({ text, exitCode }: Printed, schema: Schema): Static<Schema> {
  const response = parsed(text);
  if (!Check(Response, response)) throw bad("The response is not a JSON object with a version.");
  if (response.version !== contractVersion) {
    const versions = `version ${response.version} of the contract, and Lessor version ${contractVersion}`;
    throw new HelperError("unsupported-version", `The helper speaks ${versions}.`);
  }
  const isError = "error" in response;
  if (isError && "result" in response) throw bad("The response has both `result` and `error`.");
  if (exitCode !== (isError ? 1 : 0)) {
    const contents = isError ? "an `error`" : "no `error`";
    throw bad(`The response has ${contents}, but the command ended with exit code ${exitCode}.`);
  }
  if (isError) {
    if (!Check(ErrorResponse, response)) throw differs("/error", response.error, ErrorResponse.properties.error);
    const { code, message } = response.error;
    throw new HelperError(code, oneLine(message));
  }
  const { result } = response;
  if (!Check(schema, result)) throw differs("/result", result, schema);
  return result;
}

function differs(where: string, found: unknown, schema: TSchema): HelperError {
  const within = Errors(schema, found)[0]?.instancePath ?? "";
  return bad(`The response is not what the contract says, at ${where}${oneLine(within)}.`);
}

export function listOf({ gpus, fabric_manager, partitions }: Static<typeof ListResult>): HelperList {
  refuseTwice(
    "address",
    gpus.map(({ address }) => address),
  );
  refuseTwice(
    "module_id",
    gpus.flatMap(({ module_id }) => module_id ?? []),
  );
  refuseTwice(
    "partition",
    partitions.map(({ id }) => id),
  );
  return {
    gpus: byAddress(gpus).map(({ address, module_id, model, driver, reset_methods }) => ({
      address,
      moduleId: module_id,
      model: oneLine(model),
      driver: driver === null ? null : oneLine(driver),
      resetMethods: reset_methods,
    })),
    fabricManager: fabric_manager === null ? null : oneLine(fabric_manager),
    partitions: partitions.map(({ id, gpus: modules, active }) => ({
      id,
      gpus: modules.toSorted((one, other) => one - other),
      isActive: active,
    })),
  };
}

/** Throws HelperError if there is not exactly one verdict for each address. */
export function verdictsOf(
  { verdicts }: Static<typeof ResetResult>,
  addresses: readonly string[],
): readonly ResetVerdict[] {
  const told = verdicts.map(({ address }) => address);
  if (told.length !== addresses.length || told.some((address, at) => address !== addresses[at])) {
    throw bad("The response does not have one verdict for each address, in their order.");
  }
  return verdicts.map((one) =>
    one.reset
      ? { address: one.address, isReset: true, method: one.method, detail: oneLine(one.detail) }
      : { address: one.address, isReset: false, code: one.code, message: oneLine(one.message) },
  );
}

export function healthOf({ helper_version, fabric, gpus }: Static<typeof HealthResult>): HelperHealth {
  refuseTwice(
    "address",
    gpus.map(({ address }) => address),
  );
  return {
    helperVersion: oneLine(helper_version),
    fabric: { state: fabric.state, detail: oneLine(fabric.detail) },
    gpus: byAddress(gpus).map(({ address, problems }) => ({ address, problems: problems.map(oneLine) })),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bad("The response is not JSON.");
  }
}

function byAddress<One extends { readonly address: string }>(gpus: readonly One[]): One[] {
  return gpus.toSorted((one, other) => (one.address < other.address ? -1 : 1));
}

function refuseTwice(what: string, values: readonly (string | number)[]): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) throw bad(`The response has the ${what} ${twice} twice.`);
}

function bad(message: string): HelperError {
  return new HelperError("bad-response", message);
}
