import { skipToken, useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { SideDrawer } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { newLosses } from '../../nouns/prices/belowCost.js';
import { questionOf } from '../../nouns/prices/lossQuestion.js';
import { dateTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { idPattern } from '../../lib/gridState.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { CostSection } from './CostSection.js';
import { HealthSection } from './ChannelHealth.js';
import { KeysSection } from './ChannelKeys.js';
import { LimitsSection } from './LimitsSection.js';
import { ChannelView } from './ChannelView.js';
import { ConnectionSection, MappingSection, ModelsSection, RoutingSection } from './ChannelSections.js';
import { costOf } from './channelTexts.js';
import { newChannel, splitKeys, toNewChannel, toPatch, toValues, type ChannelValues } from './channelForm.js';
import {
  AddChannelKeysDocument,
  ChannelBelowCostDocument,
  ChannelDocument,
  CreateChannelDocument,
  UpdateChannelDocument,
  type ChannelDetailFragment,
} from './channels.generated.js';

export interface ChannelEditorProps {
  /** Null creates a channel. */
  readonly id: number | null;
  /** The name in the form of a new channel. */
  readonly suggestedName?: string;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}

export function ChannelEditor({ id, suggestedName = '', onSaved, onClosed }: ChannelEditorProps) {
  const { t } = useTranslation();
  const writes = useMay('CHANNELS_WRITE');
  const isId = idPattern.test(String(id));
  const { data, error, refetch } = useQuery(
    ChannelDocument,
    !isId || id === null ? skipToken : { variables: { id }, fetchPolicy: 'network-only' },
  );
  if (id === null)
    return <ChannelForm channel={null} suggestedName={suggestedName} onSaved={onSaved} onClosed={onClosed} />;
  if (data?.channel && !writes) return <ChannelView channel={data.channel} onClosed={onClosed} />;
  if (data?.channel) return <ChannelForm channel={data.channel} onSaved={onSaved} onClosed={onClosed} />;
  // The drawer opens only when its data is loaded, so that no empty panel is shown.
  if (isId && !error && !data) return null;
  return (
    <SideDrawer
      open
      width={640}
      title={writes ? t('channels.edit') : t('channels.view')}
      meta={isId && `#${id}`}
      onClose={onClosed}
    >
      {error ? (
        <LoadFailure title={t('channels.loadFailed')} error={error} onRetry={() => void refetch()} />
      ) : (
        <EmptyState title={t('channels.gone')} />
      )}
    </SideDrawer>
  );
}

function ChannelForm({
  channel,
  suggestedName = '',
  onSaved,
  onClosed,
}: Omit<ChannelEditorProps, 'id'> & { readonly channel: ChannelDetailFragment | null }) {
  const { t } = useTranslation();
  const client = useApolloClient();
  const confirm = useConfirm();
  const [create] = useMutation(CreateChannelDocument);
  const [update] = useMutation(UpdateChannelDocument);
  const [add] = useMutation(AddChannelKeysDocument);
  const [typedKeys, setTypedKeys] = useState('');
  const keyOf = useIdempotencyKey();
  const form = useForm<ChannelValues>({
    mode: 'onTouched',
    defaultValues: channel ? toValues(channel) : { ...newChannel, name: suggestedName },
  });
  const { dirtyFields } = form.formState;
  // Reading `dirtyFields` here subscribes to it, because `save` sends only changed fields.
  useEffect(() => undefined, [dirtyFields]);

  /** Asks for confirmation if a changed cost, model or group means more sales below cost than before. */
  const isAccepted = async (values: ChannelValues): Promise<boolean> => {
    const { costFactor, costCards, models, groups } = dirtyFields;
    if (!costFactor && !costCards && !models && !groups) return true;
    const cost = costOf(values);
    const proposed = {
      id: channel?.id ?? null,
      name: values.name.trim(),
      models: values.models,
      groups: values.groups,
      costFactor: cost?.factor ?? 1,
      costCards: cost?.cards ?? null,
    };
    const found = await client
      .query({ query: ChannelBelowCostDocument, variables: { channel: proposed }, fetchPolicy: 'no-cache' })
      .catch(() => null);
    const losses = newLosses(found?.data?.saved ?? [], found?.data?.proposed ?? []);
    return losses.length === 0 || confirm(questionOf(losses, t));
  };

  const save = async (values: ChannelValues): Promise<boolean> => {
    if (!(await isAccepted(values))) return false;
    if (channel) {
      if (typedKeys.trim() !== '') {
        await add({ variables: { id: channel.id, keys: splitKeys(channel.type.provider ?? '', typedKeys) } });
        setTypedKeys('');
      }
      const patch = toPatch(values, dirtyFields);
      if (Object.keys(patch).length > 0) await update({ variables: { input: { id: channel.id, ...patch } } });
      toast.success(t('channels.saved', { name: values.name }));
    } else {
      const input = toNewChannel(values);
      await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
      const count = input.keys.length;
      toast.success(t('channels.created', { count, name: values.name }));
    }
    onSaved();
    return true;
  };

  return (
    <EditorDrawer
      form={form}
      width={640}
      title={channel ? t('channels.edit') : t('channels.add')}
      meta={
        channel
          ? t('fields.createdMeta', { id: channel.id, time: dateTime(channel.createdAt ?? null) })
          : t('channels.addMeta')
      }
      hasMore={typedKeys.trim() !== ''}
      saveLabel={channel ? t('channels.save') : t('channels.create')}
      fieldNames={{ 'setting.more': 'setting' }}
      onSave={save}
      onClosed={onClosed}
    >
      {channel && <HealthSection channel={channel} />}
      <ConnectionSection form={form} isNew={channel === null} />
      {channel && <KeysSection channel={channel} typed={typedKeys} onTyped={setTypedKeys} />}
      <ModelsSection form={form} channelId={channel?.id ?? null} />
      <RoutingSection form={form} />
      <CostSection form={form} />
      <LimitsSection form={form} />
      <MappingSection form={form} isNew={channel === null} />
    </EditorDrawer>
  );
}
