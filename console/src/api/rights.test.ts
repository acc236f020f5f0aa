// What a session may do, and the reason that is shown where it may not.

import { describe, expect, it } from "vitest";
import { type Identity, lackOf } from "./rights.ts";

const ofTeam: Identity = { scopes: ["read", "write"], role: null, operatorRole: null };
const as = (role: Identity["role"]): Identity => ({ ...ofTeam, role });

describe("a session", () => {
  it("may what the role of its person may, and a token of the team what an admin may", () => {
    expect(lackOf(as("member"), "rent")).toBeUndefined();
    expect(lackOf(as("owner"), "owners")).toBeUndefined();
    expect(lackOf(ofTeam, "members")).toBeUndefined();
    expect(lackOf(ofTeam, "owners")).toBe("This needs the role owner.");
  });

  it("is told which roles may what its own may not", () => {
    expect(lackOf(as("viewer"), "rent")).toBe("This needs the role owner, admin or member.");
    expect(lackOf(as("member"), "money")).toBe("This needs the role owner, admin or billing.");
    expect(lackOf(as("billing"), "members", "read")).toBe("This needs the role owner or admin.");
  });

  it("needs the scope besides the role", () => {
    expect(lackOf({ ...as("owner"), scopes: ["read"] }, "rent")).toBe("Your token does not have the scope write.");
    expect(lackOf(as("owner"), "see", "operator")).toBe("Your token does not have the scope operator.");
  });

  it("of an operator may what the operator's role may, whatever the role in the team is", () => {
    const finance: Identity = { scopes: ["operator"], role: "viewer", operatorRole: "finance" };
    expect(lackOf(finance, "money", "operator")).toBeUndefined();
    expect(lackOf(finance, "fleet", "operator")).toBe("This needs the role operator.");
    expect(lackOf({ ...finance, operatorRole: null }, "fleet", "operator")).toBeUndefined();
  });
});
