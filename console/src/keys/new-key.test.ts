// The name of the file that a private key is saved as.

import { expect, it } from "vitest";
import { privateKeyFile } from "./new-key.tsx";

it("is the key's name, of what every system takes", () => {
  expect(privateKeyFile("laptop")).toBe("laptop.pem");
  expect(privateKeyFile(" me @ work ")).toBe("me-work.pem");
  expect(privateKeyFile("../../etc/passwd")).toBe("etc-passwd.pem");
  expect(privateKeyFile("@")).toBe("lessor.pem");
});
