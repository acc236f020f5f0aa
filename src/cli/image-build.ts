// `lessor image build debian-12`: builds an image for instances, on this computer. Needs no running service.

import { buildImage } from "../images/build.ts";
import { ImageError } from "../images/image-error.ts";
import { imageFileName, imageKinds } from "../images/recipe.ts";
import { CommandError } from "./command-error.ts";

export interface ImageBuildOptions {
  /** One of the kinds of images; validated here. */
  readonly kind: string;
  readonly output?: string;
  /** With the agent that reports metrics. */
  readonly metrics?: boolean;
}

/** Builds it and prints its path. Ctrl-C and SIGTERM end the build and leave nothing behind. Throws CommandError. */
export async function imageBuild(
  name: string,
  options: ImageBuildOptions,
  print: (line: string) => void,
  build: typeof buildImage = buildImage,
): Promise<void> {
  const kind = imageKinds.find((known) => known === options.kind);
  if (kind === undefined) {
    throw new CommandError(`There is no kind of image "${options.kind}".`, `Choose one of: ${imageKinds.join(", ")}.`);
  }
  const { metrics = false } = options;
  const output = options.output ?? imageFileName(name, kind);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new CommandError("Interrupted. All partial output was removed."));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const one of signals) process.on(one, interrupt);
  try {
    const path = await build({ name, kind, metrics, output, log: print, signal: interrupted.signal });
    print(`${path} is ready.`);
    if (metrics) print("Turn its metrics on in the catalog with `metrics: true`, or nothing reads them.");
  } catch (error) {
    if (error instanceof ImageError) throw new CommandError(error.message, error.suggestion, { cause: error });
    throw error;
  } finally {
    for (const one of signals) process.off(one, interrupt);
  }
}
