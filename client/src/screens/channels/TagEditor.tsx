import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { TextInput } from '../../components/form/inputs.js';
import { JsonInput } from '../../components/form/JsonInput.js';
import { Notice } from '../../components/Notice.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { ChannelChoicesDocument, UpdateChannelTagDocument } from './channels.generated.js';
import { isTextTable, pairsOf } from './channelTexts.js';
import type { TagPatch } from './useTagActions.js';

interface TagValues {
  name: string;
  models: string[];
  groups: string[];
  modelMapping: string;
}

/** The patch for all channels of a tag. Empty lists and mappings are left out; an empty name removes the tag. */
export function toTagPatch(values: TagValues, tag: string): TagPatch {
  const name = values.name.trim();
  return {
    ...(name === tag ? {} : { newTag: name || null }),
    ...(values.models.length > 0 ? { models: values.models } : {}),
    ...(values.groups.length > 0 ? { groups: values.groups } : {}),
    ...(values.modelMapping.trim() === ''
      ? {}
      : { modelMapping: pairsOf(values.modelMapping).map(([from, to]) => ({ from, to })) }),
  };
}

/** Editor of the values that all channels of a tag share. */
export function TagEditor({
  tag,
  count,
  onSaved,
  onClosed,
}: {
  readonly tag: string;
  /** Number of channels with the tag. */
  readonly count: number;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const choices = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' }).data;
  const [update] = useMutation(UpdateChannelTagDocument);
  const form = useForm<TagValues>({
    mode: 'onTouched',
    defaultValues: { name: tag, models: [], groups: [], modelMapping: '' },
  });
  const { control } = form;
  const name = useWatch({ control, name: 'name' });
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={t('channels.editTag')}
      meta={t('channels.tagMeta', { tag, count })}
      saveLabel={t('channels.saveTag')}
      fieldNames={{ tag: 'name', newTag: 'name' }}
      onClosed={onClosed}
      onSave={async (values) => {
        const input = toTagPatch(values, tag);
        if (Object.keys(input).length === 0) {
          toast.success(t('channels.noChanges'));
          return;
        }
        const { data } = await update({ variables: { input: { tag, ...input } } });
        toast.success(t('channels.tagSaved', { count: data?.updateChannelTag.count ?? 0 }));
        onSaved();
      }}
    >
      <DrawerSection title={t('channels.tag')} explanation={t('channels.tagText')}>
        <Box>
          <TextInput control={control} name="name" label={t('fields.name')} maxLength={64} />
          {name.trim() === '' && (
            <Box sx={{ mt: 1 }}>
              <Notice tone="red">{t('channels.tagDissolves')}</Notice>
            </Box>
          )}
        </Box>
      </DrawerSection>
      <DrawerSection title={t('channels.modelsAndGroups')}>
        <ChipsInput
          control={control}
          name="models"
          label={t('fields.models')}
          optional
          free
          options={choices?.enabledModels ?? []}
          placeholder={t('channels.unchanged')}
        />
        <ChipsInput
          control={control}
          name="groups"
          label={t('channels.groups')}
          optional
          free
          options={choices?.groups ?? []}
          placeholder={t('channels.unchanged')}
        />
        <JsonInput
          control={control}
          name="modelMapping"
          label={t('channels.modelMapping')}
          optional
          hint={t('channels.modelMappingHint')}
          example={t('channels.unchanged')}
          shape={{ test: isTextTable, message: t('form.jsonTexts') }}
        />
      </DrawerSection>
    </EditorDrawer>
  );
}
