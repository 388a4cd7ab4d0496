import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { ComboInput } from '../../components/form/ComboInput.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { JsonInput } from '../../components/form/JsonInput.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { UnpricedNotice } from '../../nouns/prices/UnpricedNotice.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { DrawerSection, FieldRow } from '../../components/SideDrawer.js';
import { BaseUrlField } from './BaseUrlField.js';
import {
  endpointsType,
  keyless,
  keyFormatOf,
  modelsAfterType,
  needsVariant,
  regionProblem,
  splitKeys,
  typeChoices,
  variantDefault,
  variantFieldOf,
  type ChannelProvider,
  type SectionProps,
} from './channelForm.js';
import { ChannelChoicesDocument } from './channels.generated.js';
import { isEndpointTable, isJsonObject, isSetting, isStatusTable, isTextTable, typedText } from './channelTexts.js';
import { RoutingHints } from './RoutingHints.js';
import { ModelTools } from './ModelTools.js';
import { useDestinationLock } from './useDestinationLock.js';
import { useChannelTypes } from './useChannelTypes.js';

/** Vertex AI: its key is one JSON document, and it has a region. */
const regionType = 'VERTEX_AI';
/** Dify: an app has a key of its own. */
const difyType = 'DIFY';

const endpointsExample =
  '{\n  "endpoints": {\n    "chat": "/v1/chat/completions"\n  },\n  "auth": {\n    "header": "x-api-key"\n  }\n}';

export function ConnectionSection({ form, isNew }: SectionProps & { readonly isNew: boolean }) {
  const { t } = useTranslation();
  const types = useChannelTypes();
  const locked = useDestinationLock(isNew);
  const { control, setValue, getValues } = form;
  const [type, key] = useWatch({ control, name: ['type', 'keys'] });
  const variant = variantFieldOf(type);
  const keys = splitKeys(type, key);
  const keyHint =
    type === difyType
      ? t('channels.keyHintDify')
      : type === regionType
        ? t('channels.keyHintWhole')
        : t('channels.keyHint');

  return (
    <DrawerSection title={t('channels.connection')}>
      <FieldRow>
        <ComboInput
          control={control}
          name="type"
          label={t('fields.type')}
          required
          locked={locked}
          choices={typeChoices(types.list, type)}
          onPick={(picked) => {
            const to = picked as ChannelProvider;
            const given = getValues('variant');
            // Replace the default of the old type; keep a value the user typed.
            if (given === '' || given === variantDefault(type))
              setValue('variant', variantDefault(to), { shouldDirty: true });
            const models = modelsAfterType(getValues('models'), type, to, (one) => types.find(one)?.models ?? []);
            if (models) setValue('models', [...models], { shouldDirty: true, shouldValidate: models.length > 0 });
          }}
        />
        <TextInput
          control={control}
          name="name"
          label={t('fields.name')}
          required
          autoFocus={isNew}
          maxLength={100}
          rules={{ validate: (value) => typedText(value).trim() !== '' || t('channels.nameMissing') }}
        />
      </FieldRow>
      {variant && (
        <TextInput
          control={control}
          name="variant"
          label={t(variant.label)}
          locked={locked}
          placeholder={variant.example}
          required={needsVariant.has(type)}
          optional={!needsVariant.has(type)}
          {...(type === regionType ? { rows: 2, mono: true } : {})}
          rules={{
            validate: (value) => {
              const text = typedText(value).trim();
              if (text === '') return !needsVariant.has(type) || t('channels.otherMissing');
              const line = type === regionType ? regionProblem(text) : null;
              return line === null || t('form.invalidJson', { line });
            },
          }}
        />
      )}
      {type === endpointsType && (
        <JsonInput
          control={control}
          name="variant"
          label={t('channels.endpoints')}
          optional
          locked={locked}
          hint={t('channels.endpointsHint')}
          example={endpointsExample}
          shape={{ test: isEndpointTable, message: t('channels.endpointsInvalid') }}
        />
      )}
      {type === 'OPENAI' && (
        <TextInput
          control={control}
          name="openaiOrganization"
          label={t('channels.organization')}
          placeholder="org-…"
          optional
        />
      )}
      <BaseUrlField form={form} locked={locked} />
      <TextInput
        control={control}
        name="keys"
        label={t('fields.key')}
        required={isNew && !keyless.has(type)}
        optional={isNew && keyless.has(type)}
        rows={2}
        mono
        placeholder={isNew ? (keyFormatOf(type) ?? t('channels.keyPlaceholder')) : t('channels.keyUnchanged')}
        hint={
          keys.length > 1
            ? isNew
              ? t('channels.keysCreate', { count: keys.length })
              : t('channels.keysRotate', { count: keys.length })
            : isNew && keyless.has(type)
              ? t('channels.keyHintNone')
              : keyHint
        }
        rules={{
          validate: (value) =>
            !isNew || keyless.has(type) || splitKeys(type, typedText(value)).length > 0 || t('channels.keyMissing'),
        }}
      />
    </DrawerSection>
  );
}

export function ModelsSection({ form, channelId }: SectionProps & { readonly channelId: number | null }) {
  const { t } = useTranslation();
  const types = useChannelTypes();
  const { control } = form;
  const [type, models] = useWatch({ control, name: ['type', 'models'] });
  const { data: choices, error } = useQuery(ChannelChoicesDocument, { fetchPolicy: 'cache-first' });
  useFailureToast(error, true);
  const groups = choices?.groups ?? [];
  return (
    <DrawerSection title={t('channels.modelsAndGroups')}>
      <Box>
        <ChipsInput
          control={control}
          name="models"
          label={t('fields.models')}
          required
          free
          options={types.find(type)?.models ?? []}
          placeholder={t('channels.modelsPlaceholder')}
          aside={models.length > 0 ? t('channels.selected', { count: models.length }) : undefined}
          rules={{ validate: (value) => (value as string[]).length > 0 || t('fields.modelsMissing') }}
        />
        <ModelTools form={form} channelId={channelId} related={types.find(type)?.models ?? []} />
      </Box>
      <UnpricedNotice among={models} newTab />
      <FieldRow>
        <ChipsInput
          control={control}
          name="groups"
          label={t('channels.groups')}
          required
          free
          options={groups}
          rules={{ validate: (value) => (value as string[]).length > 0 || t('channels.groupsMissing') }}
        />
        <SelectInput
          control={control}
          name="testModel"
          label={t('channels.testModel')}
          optional
          choices={[
            { value: '', label: t('channels.firstModel') },
            ...models.map((model) => ({ value: model, label: model })),
          ]}
        />
      </FieldRow>
      <FieldRow>
        <TextInput
          control={control}
          name="modelPrefix"
          label={t('channels.modelPrefix')}
          optional
          maxLength={64}
          hint={t('channels.modelPrefixHint')}
        />
        <NumberInput
          control={control}
          name="maxInputTokens"
          label={t('channels.maxInputTokens')}
          optional
          rules={{ validate: (value) => /^\d{0,9}$/.test(typedText(value).trim()) || t('form.wholeNumber') }}
        />
      </FieldRow>
      <NumberInput
        control={control}
        name="ownerId"
        label={t('channels.owner')}
        optional
        hint={t('channels.ownerHint')}
        rules={{ validate: (value) => /^\d{0,9}$/.test(typedText(value).trim()) || t('form.wholeNumber') }}
      />
    </DrawerSection>
  );
}

export function RoutingSection({ form: { control } }: SectionProps) {
  const { t } = useTranslation();
  const autoDisable = useWatch({ control, name: 'autoDisable' });
  const whole = (minimum: number) => ({
    validate: (value: unknown) => {
      const text = typedText(value).trim();
      if (!/^-?\d{1,9}$/.test(text)) return t('form.wholeNumber');
      return Number(text) >= minimum || t('form.atLeast', { minimum });
    },
  });
  return (
    <DrawerSection rare title={t('channels.routing')} explanation={t('channels.routingText')}>
      <FieldRow columns={3}>
        <NumberInput control={control} name="priority" label={t('channels.priority')} rules={whole(-999)} />
        <NumberInput control={control} name="weight" label={t('channels.weight')} rules={whole(0)} />
        <TextInput control={control} name="tag" label={t('channels.tag')} optional maxLength={64} />
      </FieldRow>
      <SwitchRow control={control} name="autoDisable" label={t('channels.autoBan')} hint={t('channels.autoBanHint')} />
      <RoutingHints autoDisable={autoDisable} />
    </DrawerSection>
  );
}

export function MappingSection({ form: { control }, isNew }: SectionProps & { readonly isNew: boolean }) {
  const { t } = useTranslation();
  const locked = useDestinationLock(isNew);
  const object = { test: isJsonObject, message: t('form.jsonObject') };
  return (
    <DrawerSection rare title={t('channels.mapping')} explanation={t('channels.mappingText')}>
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <JsonInput
          control={control}
          name="modelMapping"
          label={t('channels.modelMapping')}
          optional
          hint={t('channels.modelMappingHint')}
          example={'{\n  "gpt-4o": "gpt-4o-2024-11-20"\n}'}
          shape={{ test: isTextTable, message: t('form.jsonTexts') }}
        />
        <JsonInput
          control={control}
          name="statusCodeMapping"
          label={t('channels.statusCodeMapping')}
          optional
          hint={t('channels.statusCodeMappingHint')}
          example={'{\n  "400": "500"\n}'}
          shape={{ test: isStatusTable, message: t('channels.statusCodesInvalid') }}
        />
        <JsonInput
          control={control}
          name="setting"
          label={t('channels.setting')}
          optional
          locked={locked}
          hint={t('channels.settingHint')}
          example={'{\n  "proxy": "socks5://10.0.0.8:1080"\n}'}
          shape={{ test: isSetting, message: t('channels.settingInvalid') }}
        />
        <JsonInput
          control={control}
          name="parameters"
          label={t('channels.paramOverride')}
          optional
          hint={t('channels.paramOverrideHint')}
          example={'{\n  "temperature": 0.2\n}'}
          shape={object}
        />
        <JsonInput
          control={control}
          name="headers"
          label={t('channels.headerOverride')}
          optional
          locked={locked}
          hint={t('channels.headerOverrideHint')}
          example={'{\n  "X-Title": "Tollgate"\n}'}
          shape={object}
        />
      </Box>
    </DrawerSection>
  );
}
