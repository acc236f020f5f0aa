// The form for an SSH key: an existing public key, or a new pair whose private key is shown once. Used by the list of keys
// and by the launch page.

import { SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { SecretOnce } from "../shared/secret-once.tsx";

interface NewKeyProps {
  readonly onClose: () => void;
  /** Called with its name. */
  readonly onCreated?: (name: string) => void;
}

export function NewKey({ onClose, onCreated }: NewKeyProps) {
  const form = useForm({
    initialValues: { how: "add" as "add" | "generate", name: "", public_key: "" },
    validate: {
      name: isNotEmpty("Enter a name."),
      public_key: (key, { how }) => (how === "add" && key.trim() === "" ? "Enter a public key." : null),
    },
  });
  const { how, name } = form.values;
  const make = useChange(
    (client, values: typeof form.values) =>
      client.POST("/ssh-keys", {
        body: { name: values.name.trim(), ...(values.how === "add" ? { public_key: values.public_key.trim() } : {}) },
      }),
    ["ssh-keys", "account"],
  );

  const secret = make.data && privateKeyOf(make.data.data);
  if (secret !== undefined) {
    const file = privateKeyFile(name);
    return (
      <SecretOnce
        title={`Private key of ${name.trim()}`}
        secret={secret}
        label="private key"
        fileName={file}
        onClose={onClose}
      >
        <p>
          Save it, then <code>chmod 600 {file}</code> and <code>ssh -i {file} …</code>
        </p>
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="New SSH key"
      action={how === "add" ? "Add key" : "Generate key"}
      form={form}
      change={make}
      onClose={onClose}
      onSaved={({ data }) => {
        onCreated?.(data.name);
        if (privateKeyOf(data) === undefined) onClose();
      }}
    >
      <SegmentedControl
        aria-label="Key source"
        data={[
          { value: "add", label: "Existing key" },
          { value: "generate", label: "New key pair" },
        ]}
        fullWidth
        {...form.getInputProps("how", { withError: false })}
      />
      <TextInput label="Name" {...form.getInputProps("name")} maxLength={64} data-autofocus />
      {how === "add" ? (
        <Textarea
          label="Public key"
          description="The one line of a file such as ~/.ssh/id_ed25519.pub"
          placeholder="ssh-ed25519 AAAA…"
          {...form.getInputProps("public_key")}
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        />
      ) : (
        <p className="soft">Generates an ed25519 pair. The private key is shown once and not stored.</p>
      )}
    </FormDialog>
  );
}

/** Only in the response that created a pair. */
function privateKeyOf(key: object): string | undefined {
  return "private_key" in key && typeof key.private_key === "string" ? key.private_key : undefined;
}

/** The name of the file for a private key: the key's name, in characters that every system takes. */
export function privateKeyFile(name: string): string {
  const plain = name
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  return `${plain === "" ? "lessor" : plain}.pem`;
}
