// How people log in to an instance, as launch, show and ssh tell it.

import { expect, it } from "vitest";
import type { Instance } from "../instances.ts";
import { loginCommand, noLoginReason, refuseWithoutLogin } from "./login-way.ts";

const real = {
  name: "my training",
  status: "active",
  ip: "203.0.113.7",
  login_user: "ubuntu",
  login: "ssh_key",
  simulated: false,
} as Instance; // of all its fields those that matter

it.each([
  [{}, "lessor ssh 'my training'   (ubuntu@203.0.113.7)"],
  [{ name: "l-1", login: "password" }, "lessor ssh l-1   (ubuntu@203.0.113.7, with its password)"],
  [
    { name: "l-1", login: "unknown" },
    "lessor ssh l-1   (ubuntu@203.0.113.7, if its startup command or user data set up a login)",
  ],
  [{ login: "none" }, undefined],
  [{ simulated: true }, undefined],
  [{ ip: null }, undefined],
  [{ status: "terminating" }, undefined],
] as const)("of an instance that is %j the command is %s", (more, command) => {
  expect(loginCommand({ ...real, ...more })).toBe(command);
});

it("says why nobody can log in, as an error that a script tells from others", () => {
  expect(noLoginReason(real)).toBeUndefined();
  expect(() => refuseWithoutLogin(real)).not.toThrow();
  expect(() => refuseWithoutLogin({ ...real, simulated: true })).toThrow("It is simulated");
  expect(() => refuseWithoutLogin({ ...real, login: "none" })).toThrow("It has no SSH key and no password.");
});
