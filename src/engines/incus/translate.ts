// Translates errors of the cluster to the contract's EngineError. The cluster's own messages name the operator's paths,
// addresses and devices: they become the cause, for the log, and customers read a sentence of ours.

import { EngineError, guestSilent, hostUnreachable } from "../engine.ts";
import { ApiError, NoAnswer } from "./client/api-error.ts";

interface Meaning {
  readonly pattern: RegExp;
  readonly kind: EngineError["kind"];
  readonly code: string;
  readonly sentence: string;
}

/** Messages of LXD and Incus for a virtual machine whose agent does not respond yet, or cannot be reached. */
const silentGuest = /vm agent|(lxd|incus)-agent|\bvsock\b/i;

/** In order; the first that fits. Words seen in LXD 5.0 and in the sources of later LXD and Incus. */
const meanings: readonly Meaning[] = [
  // Before the next row, whose pattern also matches these.
  {
    pattern: silentGuest,
    kind: "unavailable",
    code: guestSilent,
    sentence: "The guest does not respond yet.",
  },
  {
    pattern:
      /missing event connection|dial tcp|connection refused|no route to host|i\/o timeout|connection reset|unable to connect|deadline exceeded|member (is|appears) (offline|down)|\bEOF\b/i,
    kind: "unavailable",
    code: hostUnreachable,
    sentence: "The host does not respond.",
  },
  {
    pattern: /cluster member not found|member ".*" (not found|doesn't exist)/i,
    kind: "refused",
    code: "no-such-host",
    sentence: "The host does not exist.",
  },
  {
    pattern: /image.*(not found|doesn't exist|couldn't be found)|(not found|couldn't find).*image|no matching image/i,
    kind: "refused",
    code: "image-missing",
    sentence: "The image does not exist on the host.",
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
    sentence: "The host has insufficient capacity.",
  },
  {
    pattern: /busy|already running|in progress|matching (non-)?reusable operation/i,
    kind: "unavailable",
    code: "machine-busy",
    sentence: "Another operation on the machine is in progress.",
  },
];

/** Runs the call and translates errors of the API to EngineError. */
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
    return new EngineError("unavailable", "engine-unreachable", "The hosts cannot be reached.", { cause: error });
  }
  if (!(error instanceof ApiError)) return error;
  const meaning = meanings.find(({ pattern }) => pattern.test(error.message));
  if (meaning === undefined) {
    return new EngineError("unavailable", "engine-error", "The host failed to carry out the operation.", {
      cause: error,
    });
  }
  return new EngineError(meaning.kind, meaning.code, meaning.sentence, { cause: error });
}

/** Whether the error means that the agent in a virtual machine does not respond yet. */
export function isGuestSilent(error: unknown): boolean {
  return error instanceof ApiError && silentGuest.test(error.message);
}

/**
 * Whether the API reports that an instance or volume does not exist; callers then consider it gone. A missing project,
 * pool or member only means wrong settings.
 */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && /^(instance|storage volume) not found/i.test(error.message);
}
