import { expect, it } from "vitest";
import { failure } from "../../../test/support/engine-calls.ts";
import { EngineError } from "../engine.ts";
import { ApiError, NoAnswer, UnexpectedAnswer, Unsuitable } from "./client/api-error.ts";
import { translate, translated } from "./translate.ts";

const rows: readonly (readonly [status: number, message: string, kind: string, code: string])[] = [
  [403, "Quota exceeded for cores: Requested 4, but already used 8 of 8 cores", "refused", "no-capacity"],
  [409, "Quota exceeded for resources: ['port'].", "refused", "no-capacity"],
  [409, "No more IP addresses available on network 1.", "refused", "no-capacity"],
  [
    413,
    "VolumeLimitExceeded: Maximum number of volumes allowed (1) exceeded for quota 'volumes'.",
    "refused",
    "no-capacity",
  ],
  [400, "Compute host gpu9 could not be found.", "refused", "no-such-host"],
  [400, "Can not find requested image", "refused", "image-missing"],
  [400, "Flavor 1 could not be found.", "refused", "no-flavor"],
  [400, "Port id 1 could not be found.", "unavailable", "engine-error"],
  [401, "The request you have made requires authentication.", "unavailable", "engine-unreachable"],
  [403, "Policy doesn't allow it to be performed.", "unavailable", "not-allowed"],
  [404, "Network 1 could not be found.", "unavailable", "engine-error"],
  [409, "Cannot 'stop' instance 1 while it is in task_state powering-off", "unavailable", "machine-busy"],
  [413, "This request was rate-limited.", "unavailable", "engine-error"],
  [429, "Rate limit exceeded.", "unavailable", "engine-error"],
  [500, "Unexpected API Error.", "unavailable", "engine-error"],
  [503, "The service is overloaded.", "unavailable", "engine-error"],
];

it.each(rows)("%i %j is %s: %s, and its words are only for the log", async (status, message, kind, code) => {
  const cause = new ApiError(status, "compute", message);
  const error = await failure(translated(() => Promise.reject(cause)));
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({ kind, code });
  expect(String(error)).not.toContain(message);
});

it("a service that does not answer, or that is not there, is unavailable", () => {
  expect(translate(new NoAnswer("no"))).toMatchObject({ kind: "unavailable", code: "engine-unreachable" });
  expect(translate(new Unsuitable("no"))).toMatchObject({ kind: "unavailable", code: "engine-misconfigured" });
});

it("all else stays what it is", () => {
  for (const error of [new UnexpectedAnswer("no"), new EngineError("refused", "x", "y"), new Error("BUG: z")])
    expect(translate(error)).toBe(error);
});
