// A guest for the tests of src/engines/guest/, with something awkward in every field.

import type { GuestSpec } from "../../../src/engines/engine.ts";

export const sampleGuest: GuestSpec = {
  hostname: "trainer-1234abcd",
  loginUser: "renter",
  sshKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOne me@home it's", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAITwo Zoë"],
  password: undefined,
  jupyterToken: undefined,
  command: undefined,
  userData: undefined,
  envVars: {},
  fileSystems: [],
};

/** Values that break careless quoting, one way each. */
export const awkwardValues = [
  "",
  "it's",
  "'''",
  "two\nlines",
  "\n\nends and begins with line breaks\n\n",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's, not ours.
  '$HOME ${HOME} $(id) `id` !! \\ \\n " # ; & | > < * ? [a] {b} ~',
  "\\",
  "carriage\r\nreturn\r",
  "tab\tand bell\u0007",
  "ünïcödé 😀 \u2028 \ufeff",
  "-n",
  " spaces ",
];
