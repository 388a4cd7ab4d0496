import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DraftBudgets } from '../../nouns/budgets/DraftBudgets.js';
import { BudgetSection } from '../../nouns/budgets/BudgetSection.js';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { BoundDateTime } from '../../components/form/DateTimeInput.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { fromLocalTime, isLocalTime, toLocalTime } from '../../lib/localTime.js';
import { readerZone } from '../../lib/reader.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { toast } from '../../components/toast.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { useActing } from '../../lib/acting.js';
import { dateTime, ratio } from '../../lib/format.js';
import { ratioTone } from '../../nouns/groups/groupTone.js';
import { useStatus } from '../../lib/status.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import {
  amountPresets,
  batchCounts,
  batchNames,
  expiryShortcuts,
  isAddress,
  newToken,
  toTokenInput,
  toTokenUpdate,
  toTokenValues,
  type TokenValues,
} from './tokenForm.js';
import { noPlace, placeInput, TokenPlaceSection, type TokenPlace } from './TokenPlaceSection.js';
import { TokenRateLimit } from './TokenRateLimit.js';
import { TokenScopes } from './TokenScopes.js';
import {
  CreateTokenDocument,
  TokenChoicesDocument,
  UpdateTokenDocument,
  type TokenRowFragment,
} from './tokens.generated.js';
import type { UsedToken } from './TokenUsageDialog.js';

export interface TokenEditorProps {
  /** The name in the form of a new token. */
  readonly suggestedName?: string;
  /** Null creates a token. */
  readonly token: TokenRowFragment | null;
  readonly onSaved: () => void;
  readonly onCreated: (created: UsedToken) => void;
  readonly onClosed: () => void;
}

/** The tokens of one name that are to be created. */
interface Batch {
  readonly name: string;
  names: readonly string[];
  readonly made: UsedToken[];
}

/** Models and groups of one key that the server accepts, each. */
const maxFallbacks = 10;

/** Form fields by input field, for the server's errors. */
const rateFields = {
  'rateLimit.periodSeconds': 'ratePeriod',
  'rateLimit.calls': 'rateCount',
  'rateLimit.successes': 'rateSuccess',
} as const;

export function TokenEditor({ token: given, suggestedName = '', onSaved, onCreated, onClosed }: TokenEditorProps) {
  // The token stays as it was when the form was opened, although the list behind the form reloads.
  const [token] = useState(given);
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const { data: choices, error: choicesError } = useQuery(TokenChoicesDocument);
  useFailureToast(choicesError, true);
  const [create] = useMutation(CreateTokenDocument);
  const [update] = useMutation(UpdateTokenDocument);
  const keyOf = useIdempotencyKey();
  const acting = useActing();
  const [place, setPlace] = useState<TokenPlace>(noPlace);
  const form = useForm<TokenValues>({
    mode: 'onTouched',
    defaultValues: token ? toTokenValues(token, quotaPerUnit) : { ...newToken, name: suggestedName },
  });
  const { control, setValue, formState } = form;
  const { dirtyFields } = formState;
  const [unlimited, limitModels, budgets] = useWatch({ control, name: ['unlimited', 'limitModels', 'budgets'] });

  // A retry uses the same names: the names of a batch are random, and part of the input that the idempotency key
  // identifies.
  const batch = useRef<Batch>({ name: '', names: [], made: [] });
  const batchOf = (name: string, count: number): Batch => {
    if (batch.current.name !== name) batch.current = { name, names: [], made: [] };
    if (batch.current.names.length !== count) batch.current.names = batchNames(name, count);
    return batch.current;
  };
  const saveNew = async (values: TokenValues) => {
    const input = toTokenInput(values, quotaPerUnit);
    const { names, made } = batchOf(input.name, values.count);
    try {
      // The tokens are created one after the other, to stay within the rate limit. After an error, saving again creates
      // only the missing tokens.
      for (const name of names.slice(made.length)) {
        const one = { ...input, name, ...placeInput(place) };
        const { data } = await create({ variables: { input: { ...one, idempotencyKey: keyOf(one) } } });
        if (data?.createToken) {
          const { key, token } = data.createToken;
          made.push({ id: token.id, name: token.name, key, models: one.modelLimits ?? [] });
        }
      }
    } finally {
      if (made.length > 0) onSaved();
    }
    const [first] = made;
    if (first && made.length === 1) onCreated(first);
    else toast.success(t('tokens.createdCount', { count: made.length }));
  };
  const saveOld = async (values: TokenValues, edited: TokenRowFragment) => {
    const input = toTokenUpdate(edited, Object.keys(dirtyFields), values, quotaPerUnit);
    if (input) await update({ variables: { input } });
    toast.success(t('tokens.saved', { name: values.name }));
    onSaved();
  };

  const groups = choices?.myGroups ?? [];
  const knownGroup = token === null || !token.group || groups.some((group) => group.name === token.group);
  return (
    <EditorDrawer
      form={form}
      width={480}
      title={token ? t('tokens.edit') : t('tokens.create')}
      meta={token ? t('fields.createdMeta', { id: token.id, time: dateTime(token.createdAt) }) : t('tokens.createMeta')}
      saveLabel={token ? t('tokens.save') : t('tokens.create')}
      fieldNames={{
        quota: 'amount',
        grantedQuota: 'amount',
        expiresAt: 'expires',
        modelLimits: 'models',
        scopes: 'canRelay',
        ...rateFields,
      }}
      onSave={(values) => (token ? saveOld(values, token) : saveNew(values))}
      onClosed={onClosed}
    >
      <DrawerSection title={t('tokens.general')}>
        <TextInput
          control={control}
          name="name"
          label={t('fields.name')}
          required
          autoFocus={token === null}
          maxLength={30}
          rules={{ validate: (value: unknown) => String(value).trim() !== '' || t('fields.nameMissing') }}
        />
        <Box>
          <BoundDateTime
            control={control}
            name="expires"
            label={t('tokens.expires')}
            hint={`${t('tokens.expiresHint')} ${t('time.zone', { zone: readerZone() })}`}
            optional
            rules={{
              validate: (value: unknown) => {
                if (value === '') return true;
                const time = fromLocalTime(String(value)).getTime();
                if (!isLocalTime(String(value))) return t('tokens.expiryFormat');
                return time > Date.now() || !dirtyFields.expires || t('tokens.expiryPast');
              },
            }}
          />
          <Shortcuts
            items={expiryShortcuts.map(({ label, milliseconds }) => ({
              label: t(label),
              pick: () => {
                const expires = milliseconds === null ? '' : toLocalTime(new Date(Date.now() + milliseconds));
                setValue('expires', expires, { shouldDirty: true, shouldValidate: true });
              },
            }))}
          />
        </Box>
        {token === null && (
          <SelectInput
            control={control}
            name="count"
            label={t('tokens.count')}
            choices={batchCounts.map((count) => ({ value: count, label: String(count) }))}
          />
        )}
      </DrawerSection>
      {acting && !token && <TokenPlaceSection acting={acting} place={place} onChange={setPlace} />}
      <DrawerSection title={t('fields.quota')} explanation={t('tokens.quotaText')}>
        <SwitchRow control={control} name="unlimited" label={t('tokens.unlimitedQuota')} />
        {!unlimited && (
          <Box>
            <NumberInput
              control={control}
              name="amount"
              label={t('fields.amountUsd')}
              prefix="$"
              required
              rules={{
                // A call may cost more than the remaining amount. Such an amount is negative, and is not sent unless it
                // is changed.
                validate: (value: unknown) =>
                  (token !== null && !dirtyFields.amount) ||
                  /^\d{1,9}(\.\d{1,6})?$/.test(String(value).trim()) ||
                  t('fields.amountInvalid'),
              }}
            />
            <Shortcuts
              items={amountPresets.map((amount) => ({
                label: `$${amount}`,
                pick: () => setValue('amount', String(amount), { shouldDirty: true, shouldValidate: true }),
              }))}
            />
          </Box>
        )}
      </DrawerSection>
      <DrawerSection title={t('tokens.access')}>
        <SelectInput
          control={control}
          name="group"
          label={t('fields.group')}
          optional
          hint={t('tokens.groupHint')}
          choices={[
            { value: '', label: t('tokens.ownGroup') },
            ...(knownGroup || !token?.group ? [] : [{ value: token.group, label: token.group }]),
            ...groups.map((group) => ({
              value: group.name,
              label:
                group.description && group.description !== group.name
                  ? `${group.name} – ${group.description}`
                  : group.name,
              aside: <ToneChip tone={ratioTone(group.ratio)}>{`${ratio(group.ratio)}×`}</ToneChip>,
            })),
          ]}
        />
        <ChipsInput
          control={control}
          name="fallbackGroups"
          label={t('tokens.fallbackGroups')}
          optional
          hint={t('tokens.fallbackGroupsHint')}
          options={groups.map(({ name }) => name)}
        />
        <ChipsInput
          control={control}
          name="fallbackModels"
          label={t('tokens.fallbackModels')}
          optional
          hint={t('tokens.fallbackModelsHint')}
          options={choices?.myModels ?? []}
          free
          rules={{ validate: (value) => (value as string[]).length <= maxFallbacks || t('tokens.fallbackTooMany') }}
        />
        <SwitchRow
          control={control}
          name="limitModels"
          label={t('tokens.limitModels')}
          hint={t('tokens.limitModelsHint')}
        />
        {limitModels && (
          <ChipsInput
            control={control}
            name="models"
            label={t('fields.models')}
            options={choices?.myModels ?? []}
            free
            rules={{ validate: (value) => !limitModels || (value as string[]).length > 0 || t('fields.modelsMissing') }}
          />
        )}
        <TextInput
          control={control}
          name="allowIps"
          label={t('tokens.allowIps')}
          optional
          mono
          rows={3}
          placeholder={'203.0.113.7\n10.0.0.0/8'}
          hint={t('tokens.allowIpsHint')}
          rules={{
            validate: (value: unknown) => {
              const lines = String(value)
                .split('\n')
                .map((line) => line.trim());
              const wrong = lines.findIndex((line) => line !== '' && !isAddress(line));
              return wrong === -1 || t('tokens.allowIpsInvalid', { line: wrong + 1 });
            },
          }}
        />
        <TokenRateLimit control={control} />
      </DrawerSection>
      <TokenScopes control={control} />
      {token ? (
        <BudgetSection subject={{ level: 'TOKEN', subjectId: token.id }} onChanged={onSaved} />
      ) : (
        <DrawerSection title={t('budgets.title')} explanation={t('budgets.draftText')}>
          <DraftBudgets budgets={budgets} onChange={(changed) => setValue('budgets', changed, { shouldDirty: true })} />
        </DrawerSection>
      )}
    </EditorDrawer>
  );
}

function Shortcuts({ items }: { readonly items: readonly { readonly label: string; readonly pick: () => void }[] }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: '2px 8px', mt: '4px' }}>
      {items.map(({ label, pick }) => (
        <Button
          key={label}
          className="num"
          onClick={pick}
          sx={{ minHeight: 24, padding: '0 2px', minWidth: 0, fontSize: 12 }}
        >
          {label}
        </Button>
      ))}
    </Box>
  );
}
