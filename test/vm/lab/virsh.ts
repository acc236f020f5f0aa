// libvirt's own client at a host of the lab. No call of it hangs: a host may be cut off.

import { run } from "../../support/lab/run.ts";
import type { HostLayout } from "./layout.ts";

/**
 * Runs one command and gives its standard output. `input` is its /dev/stdin, which commands take for a file
 * (`define /dev/stdin`). Throws where it did not end with 0, and after 30 seconds.
 */
export function virsh(host: HostLayout, args: readonly string[], input?: string): Promise<string> {
  const words = ["--quiet", "--connect", host.uri, ...args];
  const options = { env: { LC_ALL: "C" }, timeoutSeconds: 30 };
  if (input === undefined) return run("virsh", words, options);
  // What Node gives a child as its standard input is a socket, which cannot be opened by a name.
  return run("sh", ["-c", 'cat | virsh "$@"', "virsh", ...words], { ...options, input });
}
