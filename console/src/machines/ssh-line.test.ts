// The line to paste into a terminal.

import { expect, it } from "vitest";
import { sshLine } from "./ssh-line.ts";

it("names the user of the image and the address", () => {
  expect(sshLine({ ip: "203.0.113.5", login_user: "ubuntu" })).toBe("ssh ubuntu@203.0.113.5");
  expect(sshLine({ ip: "2001:db8::5", login_user: "debian" })).toBe("ssh debian@2001:db8::5");
});

it("is none while there is no address", () => {
  expect(sshLine({ ip: null, login_user: "ubuntu" })).toBeUndefined();
});
