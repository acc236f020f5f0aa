// How messages call a setting of lessor.yaml: limits.max_quantity, incus[0].region, incus[0].gpu_models['10de:2331'].
// Used by everything in config that speaks of settings inside lists and maps.

/** From the top of the file inwards: keys of maps, and positions in lists, from 0. */
export type SettingPath = readonly (string | number)[];

/** Keys that would be mistaken for something else are in quotes, escaped and cut, so that a message stays one line. */
export function settingName(path: SettingPath): string {
  let name = "";
  for (const step of path) {
    if (typeof step === "number") name += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) name += `['${JSON.stringify(step.slice(0, 80)).slice(1, -1)}']`;
    else name += name === "" ? step : `.${step}`;
  }
  return name;
}

/** The same with the file, as most messages begin; the whole file is called by its name alone. */
export function settingIn(path: SettingPath, fileName: string): string {
  return path.length === 0 ? fileName : `${settingName(path)} in ${fileName}`;
}

/** How messages call something inside one setting: what `settingIn` makes of that setting's path and this one. */
export type Called = (...path: SettingPath) => string;
