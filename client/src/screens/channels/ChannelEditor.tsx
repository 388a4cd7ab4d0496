import { skipToken, useMutation, useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { LoadFailure } from '../../components/LoadFailure.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { dateTime } from '../../lib/format.js';
import { ConnectionSection, MappingSection, ModelsSection, RoutingSection } from './ChannelSections.js';
import { newChannel, splitKeys, toInput, toPatch, toValues, type ChannelValues } from './channelForm.js';
import {
  ChannelDocument,
  CreateChannelDocument,
  UpdateChannelDocument,
  type ChannelDetailFragment,
} from './channels.generated.js';

export interface ChannelEditorProps {
  /** Null creates a channel. */
  readonly id: number | null;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}

export function ChannelEditor({ id, onSaved, onClosed }: ChannelEditorProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(
    ChannelDocument,
    id === null ? skipToken : { variables: { id }, fetchPolicy: 'network-only' },
  );
  if (id === null) return <ChannelForm channel={null} onSaved={onSaved} onClosed={onClosed} />;
  if (data) return <ChannelForm channel={data.channel} onSaved={onSaved} onClosed={onClosed} />;
  // Open the drawer once its data is loaded, not as an empty panel.
  if (!error) return null;
  return (
    <SideDrawer open width={640} title={t('channels.edit')} meta={`#${String(id)}`} onClose={onClosed}>
      <LoadFailure title={t('channels.loadFailed')} error={error} onRetry={() => void refetch()} />
    </SideDrawer>
  );
}

function ChannelForm({
  channel,
  onSaved,
  onClosed,
}: Omit<ChannelEditorProps, 'id'> & { readonly channel: ChannelDetailFragment | null }) {
  const { t } = useTranslation();
  const [create] = useMutation(CreateChannelDocument);
  const [update] = useMutation(UpdateChannelDocument);
  const form = useForm<ChannelValues>({ mode: 'onTouched', defaultValues: channel ? toValues(channel) : newChannel });
  const { dirtyFields } = form.formState;
  // Reading it here subscribes to it: `save` sends changed fields only.
  useEffect(() => undefined, [dirtyFields]);

  const save = async (values: ChannelValues) => {
    if (channel) {
      const patch = toPatch(values, dirtyFields);
      if (Object.keys(patch).length > 0) await update({ variables: { id: channel.id, input: patch } });
      toast.success(t('channels.saved', { name: values.name }));
    } else {
      await create({ variables: { input: toInput(values) } });
      const count = splitKeys(values.type, values.key).length;
      toast.success(t('channels.created', { count, name: values.name }));
    }
    onSaved();
  };

  return (
    <EditorDrawer
      form={form}
      width={640}
      title={channel ? t('channels.edit') : t('channels.add')}
      meta={
        channel ? t('channels.meta', { id: channel.id, time: dateTime(channel.createdTime) }) : t('channels.addMeta')
      }
      saveLabel={channel ? t('channels.save') : t('channels.create')}
      onSave={save}
      onClosed={onClosed}
    >
      <ConnectionSection form={form} isNew={channel === null} />
      <ModelsSection form={form} channelId={channel?.id ?? null} />
      <RoutingSection form={form} />
      <MappingSection form={form} />
    </EditorDrawer>
  );
}
