// The name of an object of the catalog: its key, which can't be changed.

import { TextInput, type TextInputProps } from "@mantine/core";
import { isNotEmpty } from "@mantine/form";

/** Without a name there is no path to PUT it at; anything else the service checks. */
export const nameRule = isNotEmpty("Is required.");

interface NameInputProps extends TextInputProps {
  readonly isNew: boolean;
}

export function NameInput({ isNew, ...input }: NameInputProps) {
  return (
    <TextInput
      label="Name"
      description={isNew && "The name can't be changed."}
      disabled={!isNew}
      autoComplete="off"
      spellCheck={false}
      data-autofocus
      {...input}
    />
  );
}
