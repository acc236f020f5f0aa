// Two tenants: their guests, and the secret that each leaves in a GPU (tenant.sh); and the guest that validates it
// (validator.sh). Used by secret.ts and the story.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lightCommandLine } from "../../lab/light-guest/build.ts";
import { withFirstProgram } from "../first-program.ts";
import { memory, pciId } from "./cards.ts";

export interface Tenant {
  readonly name: string;
  /** As it is in a device: 32-bit words as devmem shows them, with spaces between. */
  readonly secret: string;
  /** The command line of the tenant's kernel. */
  readonly commandLine: string;
}

export interface Tenants {
  readonly ann: Tenant;
  readonly bob: Tenant;
  /** The initrd of both, a volume of the pool. */
  readonly initrd: string;
  /** The same of the guest that validates. */
  readonly validator: { readonly initrd: string; readonly commandLine: string };
}

/** What a guest saw in its GPU: before it wrote its secret there, and after. Undefined: it has not said so. */
export interface Seen {
  readonly found: string | undefined;
  readonly left: string | undefined;
  readonly isDone: boolean;
}

/** `light`: the light guest's initrd. `directory`: for files. */
export async function makeTenants(light: string, directory: string): Promise<Tenants> {
  const { initrd, commandLine } = await withFirstProgram({
    light,
    name: "tenant",
    code: codeOf("tenant.sh"),
    directory,
  });
  const tenant = (name: string): Tenant => {
    const secret = newSecret();
    const told = `secret=${secret.replaceAll(" ", ",")}`;
    return { name, secret, commandLine: `${lightCommandLine} ${commandLine} ${told}` };
  };
  const code = codeOf("validator.sh");
  const validator = await withFirstProgram({ light, name: "validator", code, directory });
  return {
    ...{ ann: tenant("ann"), bob: tenant("bob"), initrd },
    validator: { initrd: validator.initrd, commandLine: `${lightCommandLine} ${validator.commandLine}` },
  };
}

/** The script of a guest, which knows the GPU. */
function codeOf(file: string): string {
  const [vendor, product] = pciId.split(":");
  const words: Readonly<Record<string, string>> = {
    VENDOR: `0x${vendor}`,
    PRODUCT: `0x${product}`,
    REGION: `${memory.region}`,
    OFFSETS: memory.offsets.join(" "),
  };
  const script = readFileSync(join(import.meta.dirname, file), "utf8");
  return script.replace(/\b(VENDOR|PRODUCT|REGION|OFFSETS)\b/g, (name) => words[name] ?? name);
}

export function newSecret(): string {
  return memory.offsets.map(() => `0x${randomBytes(4).toString("hex").toUpperCase()}`).join(" ");
}

/** `console`: all that the guest wrote there. */
export function seenIn(console: string): Seen {
  const said = [...console.matchAll(/^tenant: (\w+) ?(.*?)\r?$/gm)];
  const of = (what: string) => said.find(([, word]) => word === what)?.[2];
  return { found: of("found"), left: of("left"), isDone: of("done") !== undefined };
}
