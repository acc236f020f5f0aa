// A shell in which the commands of one page run one after the other, as a reader would type them: variables stay, the
// directory too. Its standard input is empty. Used by commands.program.test.ts.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Shell {
  /** Runs a command to its end. */
  run(text: string): Promise<Ran>;
  end(): Promise<void>;
}

/** Behind what each command wrote: the record separator, which none of them writes. */
const mark = "\u001e";

/** Starts bash in `directory`, where it also keeps what it is told. */
export function startShell(directory: string, env: NodeJS.ProcessEnv): Shell {
  // Commands come by name of a file on a descriptor of their own, so none of them can read the next.
  const loop = `while IFS= read -r -u 3 file; do . "$file"; printf '\\036%s\\n' "$?"; printf '\\036\\n' >&2; done`;
  const bash = spawn("bash", ["-c", loop], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const names = bash.stdio[3] as Writable; // a pipe, as it was asked for
  const said = { stdout: "", stderr: "" };
  const ended = once(bash, "exit");
  let heard = () => {};
  for (const name of ["stdout", "stderr"] as const) {
    bash[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      heard();
    });
  }
  let count = 0;
  return {
    async run(text) {
      count += 1;
      const file = join(directory, `.command-${count}`);
      await writeFile(file, `${text}\n`);
      said.stdout = said.stderr = "";
      const done = new Promise<void>((resolve, reject) => {
        heard = () => {
          const over = said.stdout.includes(mark) && said.stdout.endsWith("\n");
          if (over && said.stderr.endsWith(`${mark}\n`)) resolve();
        };
        ended.then(() => reject(new Error(`the shell ended at:\n${text}\n${said.stderr}`)));
      });
      names.write(`${file}\n`);
      await done;
      const [stdout = "", status] = said.stdout.split(mark);
      return { status: Number(status), stdout, stderr: said.stderr.slice(0, -2) };
    },
    async end() {
      names.end();
      await ended;
    },
  };
}
