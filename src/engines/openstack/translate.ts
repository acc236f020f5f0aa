// Translates errors of the cloud to the contract's EngineError. The cloud's own messages name the operator's objects: they
// become the cause, for the log, and customers read a sentence of ours.

import { EngineError } from "../engine.ts";
import { ApiError, NoAnswer, Unsuitable } from "./client/api-error.ts";
import { noCapacity } from "./start.ts";

interface Meaning {
  readonly status?: number;
  readonly pattern: RegExp;
  readonly error: (cause: ApiError) => EngineError;
}

const refused = (code: string, sentence: string) => (cause: ApiError) =>
  new EngineError("refused", code, sentence, { cause });
const unavailable = (code: string, sentence: string) => (cause: ApiError) =>
  new EngineError("unavailable", code, sentence, { cause });

/** In order; the first that fits. Words seen in Zed and in the sources of later releases. */
const meanings: readonly Meaning[] = [
  { pattern: /quota|no more ip addresses/i, error: noCapacity },
  {
    status: 400,
    pattern: /no host|host .* (is not|could not be) found|compute host/i,
    error: refused("no-such-host", "The host does not exist."),
  },
  { status: 400, pattern: /image/i, error: refused("image-missing", "The cloud cannot start this image.") },
  { status: 400, pattern: /flavor/i, error: refused("no-flavor", "The cloud has no flavor of this size.") },
  { status: 401, pattern: /./, error: unavailable("engine-unreachable", "The cloud does not accept the credentials.") },
  { status: 403, pattern: /./, error: unavailable("not-allowed", "The cloud does not allow the operation.") },
  { status: 409, pattern: /./, error: unavailable("machine-busy", "Another operation on the machine is in progress.") },
];

/** Runs the call and translates errors of the APIs to EngineError. */
export async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw translate(error);
  }
}

/** Other errors (EngineError, an abort) stay unchanged. */
export function translate(error: unknown): unknown {
  if (error instanceof NoAnswer) {
    return new EngineError("unavailable", "engine-unreachable", "The cloud cannot be reached.", { cause: error });
  }
  if (error instanceof Unsuitable) {
    return new EngineError("unavailable", "engine-misconfigured", "The cloud is not set up for this.", {
      cause: error,
    });
  }
  if (!(error instanceof ApiError)) return error;
  const meaning = meanings.find(
    ({ status, pattern }) => (status === undefined || status === error.status) && pattern.test(error.message),
  );
  if (meaning !== undefined) return meaning.error(error);
  return new EngineError("unavailable", "engine-error", "The cloud failed to carry out the operation.", {
    cause: error,
  });
}
