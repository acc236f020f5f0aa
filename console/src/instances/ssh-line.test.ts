// When there is an ssh line.

import { expect, it } from "vitest";
import { sshLine } from "./ssh-line.ts";

const instance = { ip: "203.0.113.5", login_user: "ubuntu", login: "ssh_key", simulated: false } as const;

it.each(["ssh_key", "password", "unknown"] as const)("a login by %s has an ssh line", (login) => {
  expect(sshLine({ ...instance, login })).toBe("ssh ubuntu@203.0.113.5");
});

it("there is none without an address, where nobody can log in, and for a simulated instance", () => {
  expect(sshLine({ ...instance, ip: null })).toBeUndefined();
  expect(sshLine({ ...instance, login: "none" })).toBeUndefined();
  expect(sshLine({ ...instance, simulated: true })).toBeUndefined();
});
