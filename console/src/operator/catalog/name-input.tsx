// The name of a thing of the catalogue: its key, chosen once. An empty one would be no address to put it at, so it is
// refused here; anything else the service judges.

import { TextInput } from "@mantine/core";
import { useState } from "react";

/** `refused`: what the service said of it. */
export function useNameRule(name: string, refused: string | undefined) {
  const [isTried, setTried] = useState(false);
  return {
    error: isTried && name === "" ? "Is required." : refused,
    /** To be asked before it is sent. */
    passes: () => {
      setTried(true);
      return name !== "";
    },
  };
}

interface NameInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isNew: boolean;
  readonly error: string | undefined;
  readonly label?: string;
  readonly description?: string;
}

export function NameInput({ value, onChange, isNew, error, label = "Name", description }: NameInputProps) {
  return (
    <TextInput
      label={label}
      description={description ?? (isNew ? "The name can't be changed." : undefined)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      disabled={!isNew}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
    />
  );
}
