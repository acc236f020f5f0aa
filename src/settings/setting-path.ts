// Formats the path of a setting in lessor.yaml for messages: limits.max_quantity, incus[0].region,
// incus[0].gpu_models['10de:2331']. Used by everything in config that names settings inside lists and maps.

/** From the top of the file inwards: keys of maps, and positions in lists, from 0. */
export type SettingPath = readonly (string | number)[];

/** Ambiguous keys are quoted, escaped and cut, so that a message stays one line. */
export function settingName(path: SettingPath): string {
  let name = "";
  for (const step of path) {
    if (typeof step === "number") name += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) name += `['${JSON.stringify(step.slice(0, 80)).slice(1, -1)}']`;
    else name += name === "" ? step : `.${step}`;
  }
  return name;
}

/** The same after the file's name, as most messages begin; the whole file is just its name. */
export function settingIn(path: SettingPath, fileName: string): string {
  return path.length === 0 ? fileName : `${settingName(path)} in ${fileName}`;
}

/** The path of a value inside one setting: the part that `settingIn` appends to that setting's path. */
export type Called = (...path: SettingPath) => string;
