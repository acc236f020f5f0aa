// The environment of npm where tests and the benchmark run it: it and everything it starts run on the Node that the checkout
// brings, without the settings of the shell that runs them.

import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

export const npmEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|LESSOR_|DATABASE_URL)/i.test(name))),
  PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
};
