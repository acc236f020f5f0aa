// A second replica on the database of a service, in its own process.

import { join } from "node:path";
import { freePorts } from "./ports.ts";
import { Program } from "./program.ts";
import { encryptionKey, program, type Service } from "./service.ts";

export class Replica implements AsyncDisposable {
  readonly port: number;
  readonly #program: Program;
  #isPaused = false;

  private constructor(port: number, running: Program) {
    this.port = port;
    this.#program = running;
  }

  /** Resolves when it is ready. */
  static async start(service: Service): Promise<Replica> {
    const [port = 0, reference = 0] = await freePorts(2);
    const running = new Program({
      name: "a second lessor",
      command: process.execPath,
      args: [program, "serve"],
      cwd: service.directory,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: "production",
        // The environment takes precedence over the service's settings, which otherwise stay the same.
        LESSOR_PORT: String(port),
        LESSOR_REFERENCE_PORT: String(reference),
        DATABASE_URL: service.databaseUrl(),
        LESSOR_ENCRYPTION_KEY: encryptionKey,
      },
      logFile: join(service.directory, "replica.log"),
      quiet: true,
    });
    const replica = new Replica(port, running);
    await replica.#ready();
    return replica;
  }

  /** Pauses it. */
  pause(): void {
    this.#program.signal("SIGSTOP");
    this.#isPaused = true;
  }

  async resume(): Promise<void> {
    if (!this.#isPaused) return;
    this.#program.signal("SIGCONT");
    this.#isPaused = false;
    await this.#ready();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.resume();
    await this.#program.end();
  }

  #ready(): Promise<void> {
    return this.#program.until(async () => (await fetch(`http://127.0.0.1:${this.port}/readyz`)).ok);
  }
}
