// The compatibility version of a new token. The choices are those of the service.

import { Select } from "@mantine/core";
import {
  asCompatibilityVersion,
  type CompatibilityVersion,
  compatibilityVersionNotes,
  compatibilityVersions,
} from "../../../src/rules/compatibility-versions.ts";

/** Mantine takes null as no selection. */
const current = "current";
const choices = [
  { value: current, label: "Current version" },
  ...compatibilityVersions.map((version) => ({ value: version, label: version })),
];

interface CompatibilitySelectProps {
  /** Null: the current version. */
  readonly value?: CompatibilityVersion | null;
  readonly onChange: (version: CompatibilityVersion | null) => void;
  readonly error?: string | undefined;
}

export function CompatibilitySelect({ value = null, onChange, error }: CompatibilitySelectProps) {
  const note = value === null ? "For clients that don't require another version." : compatibilityVersionNotes[value];
  return (
    <Select
      label="Compatibility version"
      description={`${note} It can't be changed later.`}
      data={choices}
      value={value ?? current}
      onChange={(chosen) => onChange(asCompatibilityVersion(chosen))}
      allowDeselect={false}
      error={error}
    />
  );
}
