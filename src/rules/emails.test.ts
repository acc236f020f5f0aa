// The table of emails against what can cause them, and addresses. That each cause is told as it should:
// test/reconciler/email-causes.test.ts.

import { describe, expect, it } from "vitest";
import { eventTypes } from "../rental/events/event-types.ts";
import { canCauseEmail, emailAddressPattern, emailKinds, emailsAbout } from "./emails.ts";

describe("emails", () => {
  it("are caused by events that there are", () => {
    const causes = Object.values(emailKinds).flatMap((entry) => Object.keys(entry.causes));
    expect(causes.filter((type) => !eventTypes.includes(type))).toEqual([]);
    expect(causes.every(canCauseEmail)).toBe(true);
    expect(new Set(causes).size).toBe(causes.length);
  });

  it("tell of a limit of a token by its id", () => {
    const data = { month: "2026-03", limit_cents: 50 };
    const event = { type: "token.spend_limit_reached", subjectId: "0198", data };
    expect(emailsAbout([event])).toMatchObject([
      {
        kind: "instance_ended",
        cause: "0198 2026-03 50",
        body: [expect.any(String), [expect.stringContaining("the token 0198 for 2026-03, $0.50")], expect.any(String)],
      },
    ]);
  });

  it("are at most one of each kind about what happened at once", () => {
    const ended = (id: string) => ({
      type: "instance.terminating",
      subjectId: id,
      data: { name: id, ended_by: "lifetime" },
    });
    const lost = { type: "instance.host_lost", subjectId: "c", data: { name: "c" } };
    const by = { ...ended("d"), data: { name: "d", ended_by: "customer" } };
    const told = emailsAbout([ended("a"), by, lost, ended("b")]);
    expect(told.map(({ kind, cause }) => [kind, cause])).toEqual([
      ["instance_ended", "a lifetime"],
      ["host_lost", "c"],
    ]);
    expect(emailsAbout([by])).toEqual([]);
  });
});

describe("an address", () => {
  const pattern = new RegExp(emailAddressPattern);

  it.each(["ops@acme.example", "o'neil+gpu@mail.acme.example", "a@localhost", "x@1.test"])("can be %s", (address) => {
    expect(pattern.test(address)).toBe(true);
  });

  it.each([
    "",
    "ops",
    "@acme.example",
    "ops@",
    "a b@acme.example",
    "ops@acme..example",
    "ops@acme.example\r\nBcc: all@victim.example",
    "ops@acme.example\n",
    "ops@acme.example, other@acme.example",
    "Ops <ops@acme.example>",
    '"ops"@acme.example',
    "öps@acme.example",
    "ops@acme.example\u0000",
    `${"a".repeat(65)}@acme.example`,
    "ops@acme_example",
    "ops(x)@acme.example",
    "ops@[192.0.2.1]",
    "a,b@acme.example",
    "ops@acme.example.",
  ])("cannot be %j", (address) => {
    expect(pattern.test(address)).toBe(false);
  });
});
