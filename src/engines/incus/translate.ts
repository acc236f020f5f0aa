// Makes what went wrong with the cluster into the contract's EngineError. The cluster's own words name paths, addresses
// and devices of the operator's: they go into the cause, for the log, and a customer reads a sentence of ours.

import { EngineError, hostUnreachable } from "../engine.ts";
import { ApiError, NoAnswer } from "./client/api-error.ts";

interface Meaning {
  readonly pattern: RegExp;
  readonly kind: EngineError["kind"];
  readonly code: string;
  readonly sentence: string;
}

/** LXD's and Incus's words for a virtual machine whose agent does not answer yet, and those of the way to it. */
const guestSilent = /vm agent|(lxd|incus)-agent|\bvsock\b/i;

/** In order; the first that fits. Words seen in LXD 5.0 and in the sources of later LXD and Incus. */
const meanings: readonly Meaning[] = [
  // Before the next, whose words follow those of the way to the agent.
  {
    pattern: guestSilent,
    kind: "unavailable",
    code: "guest-silent",
    sentence: "The system in the machine does not answer yet.",
  },
  {
    pattern:
      /missing event connection|dial tcp|connection refused|no route to host|i\/o timeout|connection reset|unable to connect|deadline exceeded|member (is|appears) (offline|down)|\bEOF\b/i,
    kind: "unavailable",
    code: hostUnreachable,
    sentence: "The host does not answer.",
  },
  {
    pattern: /cluster member not found|member ".*" (not found|doesn't exist)/i,
    kind: "refused",
    code: "no-such-host",
    sentence: "There is no such host.",
  },
  {
    pattern: /image.*(not found|doesn't exist|couldn't be found)|(not found|couldn't find).*image|no matching image/i,
    kind: "refused",
    code: "image-missing",
    sentence: "The image is not there.",
  },
  {
    pattern: /device "gpu\d+"|invalid pci address|gpu device/i,
    kind: "refused",
    code: "gpu-missing",
    sentence: "A GPU of the host cannot be used.",
  },
  {
    pattern:
      /device validation failed|invalid devices|invalid config|unknown (configuration|config) key|not supported|not operational/i,
    kind: "refused",
    code: "not-supported",
    sentence: "The host cannot run a machine like this.",
  },
  {
    pattern: /no space left|quota|not enough (free )?(space|memory)|cannot allocate memory/i,
    kind: "unavailable",
    code: "host-full",
    sentence: "The host has no room at the moment.",
  },
  {
    pattern: /busy|already running|in progress|matching (non-)?reusable operation/i,
    kind: "unavailable",
    code: "machine-busy",
    sentence: "Something else is under way with the machine.",
  },
];

/** Runs the call; what it throws of the API is thrown as EngineError. */
export async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw translate(error);
  }
}

/** An EngineError stays what it is, and so does what is not the API's (an abort). */
export function translate(error: unknown): unknown {
  if (error instanceof NoAnswer) {
    return new EngineError("unavailable", "engine-unreachable", "The hosts cannot be reached.", { cause: error });
  }
  if (!(error instanceof ApiError)) return error;
  const meaning = meanings.find(({ pattern }) => pattern.test(error.message));
  if (meaning === undefined) {
    return new EngineError("unavailable", "engine-error", "The host could not do it.", { cause: error });
  }
  return new EngineError(meaning.kind, meaning.code, meaning.sentence, { cause: error });
}

/** Whether it is that the agent in a virtual machine does not answer yet. */
export function isGuestSilent(error: unknown): boolean {
  return error instanceof ApiError && guestSilent.test(error.message);
}

/**
 * Whether the API says that it has no such instance or volume: callers take that for the end of it. That a project, pool
 * or member is not found says nothing of what is in it, but that the settings are not right.
 */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && /^(instance|storage volume) not found/i.test(error.message);
}
