import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { BoundDateTime } from '../../components/form/DateTimeInput.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { integer, ratio } from '../../lib/format.js';
import { fromLocalTime, isLocalTime, toLocalTime } from '../../lib/localTime.js';
import { readerZone } from '../../lib/reader.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import {
  CreateRedemptionsDocument,
  PlansOfCodesDocument,
  UpdateRedemptionDocument,
  type RedemptionRowFragment,
} from './redemptions.generated.js';

interface Values {
  readonly name: string;
  /** USD as typed. */
  readonly amount: string;
  readonly count: string;
  readonly isGift: boolean;
  /** Id of the plan that the codes give; 0 for codes that add to the balance. */
  readonly planId: number;
  readonly maxUses: string;
  /** Local time until which the codes are valid; empty for no end. */
  readonly expires: string;
}

const mostCodes = 10_000;
const defaults = { quota: 100_000, count: '1', maxUses: '-1' } as const;

const toQuota = (amount: string, quotaPerUnit: number): number | null =>
  /^\d{1,9}(\.\d{1,6})?$/.test(amount.trim()) ? Math.round(Number(amount) * quotaPerUnit) : null;

export function RedemptionEditor({
  row,
  onSaved,
  onCreated,
  onClosed,
}: {
  /** Null creates codes. */
  readonly row: RedemptionRowFragment | null;
  readonly onSaved: () => void;
  readonly onCreated: (codes: readonly string[]) => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { quotaPerUnit } = useStatus();
  const plans = useQuery(PlansOfCodesDocument, { fetchPolicy: 'cache-first', skip: row !== null }).data?.plans ?? [];
  const [create] = useMutation(CreateRedemptionsDocument);
  const [update] = useMutation(UpdateRedemptionDocument);
  // A retry after a lost response must not create the codes twice; the editor closes when it succeeded.
  const keyOf = useIdempotencyKey();
  const form = useForm<Values>({
    mode: 'onTouched',
    defaultValues: {
      name: row?.batch ?? '',
      amount: String(Number(((row?.quota ?? defaults.quota) / quotaPerUnit).toFixed(6))),
      count: defaults.count,
      isGift: row?.kind === 'GIFT',
      planId: row?.planId ?? 0,
      maxUses: String(row?.maxUses ?? defaults.maxUses),
      expires: row?.validUntil ? toLocalTime(row.validUntil) : '',
    },
  });
  const { control } = form;
  const { dirtyFields } = form.formState;
  const isGift = useWatch({ control, name: 'isGift' });
  const whole = (low: number, high: number) => (value: string | number | boolean) =>
    (/^-?\d+$/.test(String(value)) && Number(value) >= low && Number(value) <= high) ||
    t('redemptions.wholeBetween', { low: integer(low), high: integer(high) });

  // A code that was used or disabled is shown, but cannot be changed.
  const locked = row && row.status !== 'UNUSED' ? t('redemptions.onlyUnused') : undefined;
  const save = async (values: Values) => {
    const quota = toQuota(values.amount, quotaPerUnit) ?? 0;
    // A batch without a name is named by its amount.
    const name = values.name.trim() || money(quota, 'balance');
    const validUntil = values.expires === '' ? null : fromLocalTime(values.expires).toISOString();
    if (row) {
      const input = {
        ...(dirtyFields.name ? { batch: name } : {}),
        ...(dirtyFields.amount ? { quota } : {}),
        ...(dirtyFields.expires ? { validUntil } : {}),
      };
      if (Object.keys(input).length > 0) await update({ variables: { input: { id: row.id, ...input } } });
      toast.success(t('redemptions.saved', { name }));
    } else {
      const input = {
        batch: name,
        quota,
        count: Number(values.count),
        kind: values.isGift ? ('GIFT' as const) : ('ONCE' as const),
        ...(validUntil === null ? {} : { validUntil }),
        ...(values.planId === 0 ? {} : { planId: values.planId }),
        ...(values.isGift && Number(values.maxUses) > 0 ? { maxUses: Number(values.maxUses) } : {}),
      };
      const { data } = await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
      onCreated(data?.createRedemptions?.redemptions.map(({ key }) => key) ?? []);
    }
    onSaved();
  };

  return (
    <EditorDrawer
      form={form}
      width={480}
      title={row ? t('redemptions.edit') : t('redemptions.create')}
      meta={row ? `#${row.id}` : t('redemptions.createMeta')}
      saveLabel={row ? t('redemptions.save') : t('redemptions.create')}
      fieldNames={{ quota: 'amount', batch: 'name', validUntil: 'expires' }}
      onSave={save}
      onClosed={onClosed}
      readOnly={locked !== undefined}
    >
      <DrawerSection title={t('redemptions.general')}>
        <TextInput
          control={control}
          name="name"
          label={t('fields.name')}
          maxLength={20}
          locked={locked}
          autoFocus
          optional
          hint={t('redemptions.nameHint')}
        />
        <Box
          sx={{
            display: 'grid',
            gridTemplateColumns: { xs: '1fr', sm: row ? '1fr' : '1fr 1fr' },
            gap: 2,
            alignItems: 'start',
          }}
        >
          <NumberInput
            control={control}
            name="amount"
            prefix="$"
            required
            locked={locked}
            label={t('fields.amountUsd')}
            rules={{
              validate: (value) => {
                const quota = toQuota(String(value), quotaPerUnit);
                if (quota === null) return t('fields.amountInvalid');
                return quota > 0 || t('form.atLeast', { minimum: ratio(1 / quotaPerUnit) });
              },
            }}
          />
          {!row && (
            <NumberInput
              control={control}
              name="count"
              required
              label={t('redemptions.count')}
              hint={t('redemptions.countHint', { shown: integer(mostCodes) })}
              rules={{ validate: whole(1, mostCodes) }}
            />
          )}
        </Box>
        <BoundDateTime
          control={control}
          name="expires"
          label={t('redemptions.expires')}
          hint={`${t('redemptions.expiresHint')} ${t('time.zone', { zone: readerZone() })}`}
          optional
          locked={locked}
          rules={{
            validate: (value) => {
              if (value === '') return true;
              if (!isLocalTime(String(value))) return t('tokens.expiryFormat');
              const time = fromLocalTime(String(value)).getTime();
              return time > Date.now() || !dirtyFields.expires || t('tokens.expiryPast');
            },
          }}
        />
        {!row && plans.length > 0 && (
          <SelectInput
            control={control}
            name="planId"
            label={t('plans.ofCode')}
            hint={t('plans.ofCodeHint')}
            choices={[
              { value: 0, label: t('plans.noneOfCode') },
              ...plans.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        {!row && (
          <SwitchRow
            control={control}
            name="isGift"
            label={t('redemptions.isGift')}
            hint={t('redemptions.isGiftHint')}
          />
        )}
        {!row && isGift && (
          <NumberInput
            control={control}
            name="maxUses"
            label={t('redemptions.maxUses')}
            hint={t('redemptions.maxUsesHint')}
            // The server takes zero for unlimited.
            rules={{
              validate: (value) =>
                Number(value) === 0 ? t('redemptions.maxUsesHint') : whole(-1, 1_000_000_000)(value),
            }}
          />
        )}
      </DrawerSection>
    </EditorDrawer>
  );
}
