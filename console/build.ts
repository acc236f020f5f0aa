// Builds the web console into dist/console. `npm run build:console` fails where it cannot; with --if-possible, as
// `prepare` runs it after each installation, it says so and leaves the console out: where only what the service needs is
// installed, there is no vite.

import { join } from "node:path";

const ifPossible = process.argv.includes("--if-possible");

// Tests run the build with "test": React would be built for development, two to four times slower.
process.env.NODE_ENV = "production";

const vite = await import("vite").catch(() => undefined);
if (vite === undefined) {
  process.stdout.write(
    "The web console was not built: vite is not installed. Everything else works; `npm ci` with development dependencies, then `npm run build:console` builds it.\n",
  );
  process.exit(ifPossible ? 0 : 1);
}
await vite.build({
  root: import.meta.dirname,
  configFile: join(import.meta.dirname, "vite.config.ts"),
  logLevel: "warn",
});
