// What the machine of a validation is asked: as cloud-init user-data that writes the request into a file and runs the
// command of the image. docs/reference/gpu-validation.md documents it for those who make images.
//
// Invariant: it contains no secret, because engines store user-data in plaintext. The nonce is no secret either: it is
// made when no tenant has the GPUs any more, and only tells this validation's verdict from any other output.
//
// Used by the reconciler, and by the simulator, whose machines read it as a guest would.

import { Type } from "typebox";
import { Check } from "typebox/value";

/** Where the guest finds the request. */
export const requestFile = "/run/lessor/gpu-validation.json";
/** What it runs, of the image. */
export const validationCommand = "/usr/local/sbin/lessor-gpu-validation";

const requestVersion = 1;

const Request = Type.Object({
  version: Type.Literal(requestVersion),
  nonce: Type.String({ pattern: "^[0-9a-f]{32}$" }),
  gpus: Type.Integer({ minimum: 1 }),
  model: Type.String(),
  previous: Type.Array(Type.String({ pattern: "^[0-9a-f]{32}$" })),
});

export interface ValidationRequest {
  /** 32 hexadecimal digits. The verdict repeats it; a pattern made from it can fill the memory of the GPUs. */
  readonly nonce: string;
  /** How many there are. */
  readonly gpus: number;
  readonly model: string;
  /** The nonces of the validations before: their patterns should not be found in memory. */
  readonly previous: readonly string[];
}

/** The user-data. JSON is valid YAML. */
export function userDataOf({ nonce, gpus, model, previous }: ValidationRequest): string {
  const content = `${JSON.stringify({ version: requestVersion, nonce, gpus, model, previous })}\n`;
  const config = {
    write_files: [{ path: requestFile, permissions: "0644", content }],
    runcmd: [[validationCommand, requestFile]],
  };
  return `#cloud-config\n${JSON.stringify(config)}\n`;
}

/** The request that user-data of a machine contains; undefined: none. */
export function requestIn(userData: string | undefined): ValidationRequest | undefined {
  if (userData?.startsWith("#cloud-config\n") !== true) return undefined;
  try {
    const config: unknown = JSON.parse(userData.slice(userData.indexOf("\n")));
    if (!Check(Config, config)) return undefined;
    const file = config.write_files.find(({ path }) => path === requestFile);
    const request: unknown = JSON.parse(file?.content ?? "null");
    return Check(Request, request) ? request : undefined;
  } catch {
    return undefined; // A customer's, which can be anything.
  }
}

const Config = Type.Object({
  write_files: Type.Array(Type.Object({ path: Type.String(), content: Type.String() })),
});
