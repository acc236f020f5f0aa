// A new token's pin on the command line: the versions that the service knows, each explained, and no other.

import { Command } from "commander";
import { expect, it } from "vitest";
import { compatibilityVersionNotes } from "../rules/compatibility-versions.ts";
import { compatibilityOption, type Token, tokenBody, tokenColumns, tokenColumnsFor } from "./token-views.ts";

const parse = (...args: string[]) =>
  new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .addOption(compatibilityOption())
    .parse(args, { from: "user" });

it.each(Object.entries(compatibilityVersionNotes))(
  "--compatibility takes %s, and its help says what it does",
  (version, note) => {
    const { compatibility } = parse("--compatibility", version).opts();
    expect(tokenBody("ci", { compatibility, json: false })).toMatchObject({ compatibility_version: version });
    expect(compatibilityOption().description).toContain(`${version}: ${note}`);
  },
);

it("a token is not pinned unless told, and to nothing else", () => {
  expect(tokenBody("ci", { json: false })).not.toHaveProperty("compatibility_version");
  expect(() => parse("--compatibility", "1.0.2")).toThrow("Allowed choices are 1.0.3, vendor-1.0.");
});

const token: Token = {
  id: "1",
  name: "ci",
  scopes: ["read"],
  created_at: new Date().toISOString(),
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  spend_limit_cents: null,
  spent_this_month_cents: null,
  compatibility_version: null,
  person_id: null,
  operator_role: null,
};

it("a token that was created for 90 days shows 90 days", () => {
  const { expires_at = null } = tokenBody("ci", { expires: "90d", json: false });
  const state = tokenColumns.find(({ title }) => title === "STATE");
  expect(state?.of({ ...token, expires_at })).toBe("expires in 90 days");
});

it("a list shows what tokens are pinned to, where one of them is", () => {
  const pinned: Token = { ...token, compatibility_version: "1.0.3" };
  const shown = (...tokens: Token[]) => {
    const column = tokenColumnsFor(tokens).find(({ title }) => title === "COMPATIBILITY");
    return column === undefined ? undefined : tokens.map(column.of);
  };
  expect(shown(token)).toBeUndefined();
  expect(shown(token, pinned)).toEqual([null, "1.0.3"]);
});
