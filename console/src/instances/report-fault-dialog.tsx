// The form in which a customer reports that GPUs of an instance are faulty, and what it led to, with a replacement.

import { Anchor, Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { Link } from "wouter";
import { instancesOf, LessorError, type Shape } from "../../../src/client/client.ts";
import { replacedBefore, replacementKey } from "../../../src/rules/replacement-key.ts";
import { useChange } from "../api/queries.ts";
import { launchAgainPath } from "../launch/launch-again.ts";
import { useLaunch } from "../launch/use-launch.ts";
import { ErrorNote } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";

interface ReportFaultDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

const all = "all";

export function ReportFaultDialog({ instance, onClose }: ReportFaultDialogProps) {
  const form = useForm({
    initialValues: { text: "", gpu: all },
    validate: { text: (typed) => (typed.trim() === "" ? "Say what is wrong." : null) },
  });
  const report = useChange(
    (client, { text, gpu }: typeof form.values) =>
      client.POST("/instances/{id}/report-fault", {
        params: { path: { id: instance.id } },
        body: { text: text.trim(), ...(gpu !== all && { gpu: Number(gpu) }) },
      }),
    ["usage", "events"],
  );
  if (report.data !== undefined) {
    return <Reported instance={instance} report={report.data.data} onClose={onClose} />;
  }
  const { gpus } = instance.instance_type;
  const choices = Array.from({ length: gpus }, (_, index) => ({ value: String(index), label: `GPU ${index}` }));
  return (
    <FormDialog
      title={`Report a faulty GPU of ${instance.name}`}
      action="Report"
      form={form}
      change={report}
      onClose={onClose}
      onSaved={() => {}}
    >
      {gpus > 1 && (
        <Select
          label="GPU"
          description="Counted as the driver in the instance does."
          data={[{ value: all, label: "All" }, ...choices]}
          allowDeselect={false}
          {...form.getInputProps("gpu")}
        />
      )}
      <TextInput
        label="What is wrong"
        description="Your provider reads it. Do not include secrets."
        placeholder="Falls off the bus under load (XID 79)"
        maxLength={300}
        {...form.getInputProps("text")}
        data-autofocus
      />
    </FormDialog>
  );
}

interface ReportedProps extends ReportFaultDialogProps {
  readonly report: Shape<"ReportedFault">;
}

function Reported({ instance, report, onClose }: ReportedProps) {
  const { gpus, credited_seconds: credited } = report;
  const { launch, isPending, error } = useLaunch();
  const [launched, setLaunched] = useState<Shape<"Instance">>();
  // With its environment variables and user data.
  const replace = async () => {
    const answer = await launch({ like: instance.id }, replacementKey(instance.id));
    if (answer !== undefined) setLaunched(instancesOf(answer)[0]);
  };
  const wasReplaced = error instanceof LessorError && error.code === replacedBefore;
  return (
    <Modal opened onClose={onClose} title="Reported" size={540} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Text>
          {gpus === 1 ? "1 GPU leaves" : `${gpus} GPUs leave`} service when {instance.name} ends.
          {credited > 0 && ` ${Math.floor(credited / 60)} minutes of its bill are credited.`}
          {launched === undefined && !wasReplaced && " Launch a replacement, then terminate this instance."}
        </Text>
        {launched !== undefined && (
          <Text role="status">
            The replacement{" "}
            <Anchor component={Link} href={`/instances/${launched.id}`}>
              {launched.name}
            </Anchor>{" "}
            is launched. When it is active, terminate {instance.name}.
          </Text>
        )}
        {wasReplaced ? (
          <Text role="status">
            A replacement was launched before, as your list of instances shows. Nothing more was launched.
          </Text>
        ) : (
          <ErrorNote error={error} />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {launched === undefined && (
            <Button variant="default" component={Link} href={launchAgainPath(instance.id)}>
              Choose settings
            </Button>
          )}
          {launched === undefined && !wasReplaced && (
            <Button loading={isPending} onClick={() => void replace()}>
              Launch a replacement
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
