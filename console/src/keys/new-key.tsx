// The form for an SSH key: one's own public key, or a pair that is made here and now, whose private half is shown once.
// Used by the list of keys and by the rent page.

import { SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../api/queries.ts";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { SecretOnce } from "../shared/secret-once.tsx";

interface NewKeyProps {
  readonly onClose: () => void;
  /** Its name, as soon as it is there. */
  readonly onMade?: (name: string) => void;
}

export function NewKey({ onClose, onMade }: NewKeyProps) {
  const [how, setHow] = useState<"add" | "generate">("add");
  const [name, setName] = useState("");
  const [publicKey, setPublicKey] = useState("");
  const make = useChange(
    (client, body: { name: string; public_key?: string }) => client.POST("/ssh-keys", { body }),
    ["ssh-keys", "account"],
  );
  const submit = () =>
    make.mutate(
      { name: name.trim(), ...(how === "add" ? { public_key: publicKey.trim() } : {}) },
      {
        onSuccess: ({ data }) => {
          onMade?.(data.name);
          if (privateKeyOf(data) === undefined) onClose();
        },
      },
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
      onClose={onClose}
      onSubmit={submit}
      disabled={name.trim() === "" || (how === "add" && publicKey.trim() === "")}
      pending={make.isPending}
      error={make.error}
    >
      <SegmentedControl
        aria-label="Key source"
        value={how}
        onChange={setHow}
        data={[
          { value: "add", label: "Existing key" },
          { value: "generate", label: "New key pair" },
        ]}
        fullWidth
      />
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(make.error, "name")}
        maxLength={64}
        data-autofocus
      />
      {how === "add" ? (
        <Textarea
          label="Public key"
          description="The one line of a file such as ~/.ssh/id_ed25519.pub"
          placeholder="ssh-ed25519 AAAA…"
          value={publicKey}
          onChange={(event) => setPublicKey(event.currentTarget.value)}
          error={fieldError(make.error, "public_key")}
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

/** Only in the answer that made a pair. */
function privateKeyOf(key: object): string | undefined {
  return "private_key" in key && typeof key.private_key === "string" ? key.private_key : undefined;
}

/** Made of the key's name; only of what every system takes. */
export function privateKeyFile(name: string): string {
  const plain = name
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  return `${plain === "" ? "lessor" : plain}.pem`;
}
