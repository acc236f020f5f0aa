import { describe, expect, it } from "vitest";
import { EngineError, hostUnreachable } from "../engine.ts";
import { ApiError, NoAnswer, UnexpectedAnswer } from "./client/api-error.ts";
import { isGuestSilent, isNotFound, translate, translated } from "./translate.ts";

/** Words of LXD 5.0, later LXD and Incus, and what each means in the contract's. */
const cases: readonly (readonly [words: string, kind: EngineError["kind"], code: string])[] = [
  ["Missing event connection with target cluster member", "unavailable", hostUnreachable],
  ['Get "https://10.1.2.3:8443": dial tcp 10.1.2.3:8443: connect: connection refused', "unavailable", hostUnreachable],
  ["dial tcp 10.1.2.3:8443: connect: no route to host", "unavailable", hostUnreachable],
  ["read tcp 10.0.0.1:5->10.0.0.2:8443: i/o timeout", "unavailable", hostUnreachable],
  ["Unable to connect to: 10.1.2.3:8443", "unavailable", hostUnreachable],
  ['Post "https://10.1.2.3:8443/1.0/instances": EOF', "unavailable", hostUnreachable],
  ["Cluster member is offline", "unavailable", hostUnreachable],
  ["Cluster member not found", "refused", "no-such-host"],
  ['Member "m9" doesn\'t exist', "refused", "no-such-host"],
  ["Image not found", "refused", "image-missing"],
  ['Image "debian-12" doesn\'t exist', "refused", "image-missing"],
  ['The requested image couldn\'t be found for fingerprint "abc"', "refused", "image-missing"],
  ["Failed to get image: No matching image could be found", "refused", "image-missing"],
  ['Failed to start device "gpu0": Failed to detect requested GPU device at 0000:41:00.0', "refused", "gpu-missing"],
  ['Device validation failed for "gpu0": Invalid PCI address', "refused", "gpu-missing"],
  ['Device validation failed for "eth0": Network "lxdbr0" not usable', "refused", "not-supported"],
  ["Invalid config: Unknown configuration key: limits.foo", "refused", "not-supported"],
  [
    'Instance type "virtual-machine" is not supported on this server: vhost_vsock kernel module not loaded',
    "refused",
    "not-supported",
  ],
  ["Failed to run: zfs create: no space left on device", "unavailable", "host-full"],
  ["Failed to create volume: disk quota exceeded", "unavailable", "host-full"],
  ["fork/exec: cannot allocate memory", "unavailable", "host-full"],
  ['Instance is busy running a "create" operation', "unavailable", "machine-busy"],
  [
    "Failed to create instance update operation: A matching non-reusable operation has now succeeded",
    "unavailable",
    "machine-busy",
  ],
  ["LXD VM agent isn't currently running", "unavailable", "guest-silent"],
  ["dial vsock host(2)->vm(5):8443: connect: connection reset by peer", "unavailable", "guest-silent"],
  ["something that nobody has seen yet at /var/lib/lxd/secret-path", "unavailable", "engine-error"],
];

function translatedError(error: Error): EngineError {
  const result = translate(error);
  if (!(result instanceof EngineError)) throw new Error("it was not translated");
  return result;
}

describe("what the cluster says", () => {
  it.each(cases)("%j is %s, %s", (words, kind, code) => {
    expect(translatedError(new ApiError(400, words))).toMatchObject({ kind, code });
  });

  it.each(cases)("%j reaches the log, and no word of it a customer", (words) => {
    const cause = new ApiError(400, words);
    const error = translatedError(cause);
    expect(error.cause).toBe(cause);
    // A sentence of ours, of plain words: no path, address, device, quote or number.
    expect(error.message).toMatch(/^[A-Z][A-Za-z ]+\.$/);
    expect(error.message).not.toContain(words);
  });
});

describe("what is no answer of the cluster", () => {
  it("at all is that the hosts cannot be reached, without their addresses", () => {
    const cause = new NoAnswer("The cluster does not respond (https://10.1.2.3:8443: connect ECONNREFUSED).");
    const error = translatedError(cause);
    expect(error).toMatchObject({ kind: "unavailable", code: "engine-unreachable", cause });
    expect(error.message).not.toMatch(/\d/);
  });

  it.each([
    ["an EngineError", new EngineError("refused", "no-such-host", "The host does not exist.")],
    ["an abort", new DOMException("This operation was aborted", "AbortError")],
    ["a response of an unknown kind", new UnexpectedAnswer("The response from /1.0 is no JSON.")],
    ["a bug", new Error("BUG: something")],
  ])("but %s stays what it is", (_what, error) => {
    expect(translate(error)).toBe(error);
  });
});

describe("a translated call", () => {
  it("gives what it gives, and throws what its error means", async () => {
    expect(await translated(async () => 7)).toBe(7);
    const call = translated(() => Promise.reject(new ApiError(404, "Image not found")));
    await expect(call).rejects.toMatchObject({ kind: "refused", code: "image-missing" });
  });
});

describe("that there is no such thing", () => {
  it.each([
    [404, "Instance not found"],
    [404, "Storage volume not found"],
    [400, "Instance not found"],
    [400, "Storage volume not found"],
  ])("is what %i %j says", (status, words) => {
    expect(isNotFound(new ApiError(status, words))).toBe(true);
  });

  it.each([
    // What one reads who may no longer see it.
    [404, "not found"],
    [404, "Not Found"],
    [404, "Project not found"],
    [404, 'Project "default" not found'],
    [404, "Storage pool not found"],
    [404, "Cluster member not found"],
    [400, "Image not found"],
    [400, "open /x: no such file or directory"],
    [500, "Failed: Instance not found in cache"],
  ])("is not what %i %j says", (status, words) => {
    expect(isNotFound(new ApiError(status, words))).toBe(false);
  });

  it("is not what a lost answer says", () => {
    expect(isNotFound(new NoAnswer("Instance not found"))).toBe(false);
    expect(isGuestSilent(new NoAnswer("LXD VM agent isn't currently running"))).toBe(false);
  });
});
