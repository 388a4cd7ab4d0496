import { useMutation } from '@apollo/client/react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import {
  CreateWebhookEndpointDocument,
  type EndpointRowFragment,
  UpdateWebhookEndpointDocument,
  type WebhookEndpointsQuery,
} from './webhooks.generated.js';

/** The form of an endpoint. */
export function WebhookEditor({
  row,
  kinds,
  onSaved,
  onCreated,
  onClosed,
}: {
  /** Null creates one. */
  readonly row: EndpointRowFragment | null;
  readonly kinds: WebhookEndpointsQuery['siteEventKinds'];
  readonly onSaved: () => void;
  /** Called with the secret of the new endpoint. */
  readonly onCreated: (secret: string) => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateWebhookEndpointDocument);
  const [update] = useMutation(UpdateWebhookEndpointDocument);
  const nameOf = (kind: EndpointRowFragment['kinds'][number]) => kinds.find((one) => one.kind === kind)?.name ?? kind;
  const form = useForm({
    mode: 'onTouched',
    defaultValues: {
      name: row?.name ?? '',
      url: row?.url ?? '',
      kinds: (row?.kinds ?? []).map<string>(nameOf),
      enabled: row?.enabled ?? true,
    },
  });
  const { control } = form;
  const save = async (values: { name: string; url: string; kinds: string[]; enabled: boolean }) => {
    const input = {
      name: values.name.trim(),
      url: values.url.trim(),
      kinds: kinds.filter(({ name }) => values.kinds.includes(name)).map(({ kind }) => kind),
      enabled: values.enabled,
    };
    if (row) {
      await update({ variables: { input: { id: row.id, ...input } } });
      toast.success(t('fields.saved'));
    } else {
      const { data } = await create({ variables: { input } });
      if (data?.createWebhookEndpoint) onCreated(data.createWebhookEndpoint.secret);
    }
    onSaved();
  };
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={row ? t('webhooks.edit') : t('webhooks.add')}
      meta={row ? `#${row.id}` : t('webhooks.addMeta')}
      saveLabel={row ? t('fields.save') : t('webhooks.add')}
      onSave={save}
      onClosed={onClosed}
    >
      <DrawerSection title={t('webhooks.endpoint')}>
        <TextInput control={control} name="name" label={t('fields.name')} maxLength={64} required autoFocus />
        <TextInput control={control} name="url" label={t('webhooks.url')} hint={t('webhooks.urlHint')} required />
        <ChipsInput
          control={control}
          name="kinds"
          label={t('webhooks.kinds')}
          hint={t('webhooks.kindsHint')}
          placeholder={t('webhooks.allKinds')}
          options={kinds.map(({ name }) => name).filter((name) => name !== 'webhook.test')}
        />
        <SwitchRow control={control} name="enabled" label={t('webhooks.enabled')} hint={t('webhooks.enabledHint')} />
      </DrawerSection>
    </EditorDrawer>
  );
}
