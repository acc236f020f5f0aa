// Puts src/first-paint.ts into the page as a script that runs before anything is drawn: a classic one, because modules run
// too late, and a file, because the service's Content-Security-Policy refuses scripts within the page. Used by
// vite.config.ts; the development server leaves it out.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Plugin, transformWithOxc } from "vite";

const source = join(import.meta.dirname, "src/first-paint.ts");

/** A plugin that adds the script to the page's head. */
export function firstPaint(): Plugin {
  return {
    name: "first-paint",
    apply: "build",
    async buildStart() {
      this.addWatchFile(source);
      const { code } = await transformWithOxc(await readFile(source, "utf8"), source, { sourcemap: false });
      // In a block of its own: what a classic script declares, every other sees.
      this.emitFile({ type: "asset", name: "first-paint.js", source: `{\n${code}}\n` });
    },
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) => {
        if (bundle === undefined) return [];
        const name = Object.keys(bundle).find((one) => /first-paint-[\w-]+\.js$/.test(one));
        if (name === undefined) throw new Error("BUG: the build has no first-paint.js.");
        return [{ tag: "script", attrs: { src: `/${name}` }, injectTo: "head" }];
      },
    },
  };
}
