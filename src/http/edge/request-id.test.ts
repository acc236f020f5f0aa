import { describe, expect, it } from "vitest";
import { newToken } from "../../secrets/token.ts";
import { requestIdOf } from "./request-id.ts";

const idFor = (given: string) => requestIdOf({ headers: { "x-request-id": given } });

describe("a request's id", () => {
  it("is the client's own where that is harmless", () => {
    for (const given of ["my.id-1", "A_b", "x".repeat(128)]) expect(idFor(given)).toBe(given);
  });

  it("is a new one where the client's could not be logged as it is", () => {
    for (const given of ["", "no good", "a\nb", "é", "x".repeat(129)]) expect(idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is never a token, nor a signing secret, wherever in it they stand", () => {
    const { token } = newToken();
    for (const given of [token, `Bearer.${token}`, `id-${token.slice(0, 20)}`, "whsec_RVhBTVBMRS", "x.whsec_RVhB"]) {
      expect(idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});
