import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../components/FormDialog.js';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { ComboInput } from '../../components/form/ComboInput.js';
import { BoundDateTime } from '../../components/form/DateTimeInput.js';
import { NumberInput } from '../../components/form/inputs.js';
import { isLocalTime } from '../../lib/localTime.js';
import { readerZone } from '../../lib/reader.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { FieldRow } from '../../components/SideDrawer.js';
import { budgetFields, budgetKinds, isBudgetAmount, spansFor, zones, type BudgetValues } from './budgetForm.js';
import type { BudgetLevel } from './budgets.generated.js';

/** The fields of a budget. */
export function BudgetDialog({
  level,
  values,
  fixed = false,
  title,
  submitLabel,
  onSubmit,
  onClose,
}: {
  readonly level: BudgetLevel;
  readonly values: BudgetValues;
  /** Whether only amount and models can be changed. */
  readonly fixed?: boolean;
  readonly title: string;
  readonly submitLabel: string;
  /** Rejects with the server's error. */
  readonly onSubmit: (values: BudgetValues) => unknown;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const [zoneChoices] = useState(() => zones().map((zone) => ({ value: zone, label: zone })));
  const form = useForm({ mode: 'onTouched', defaultValues: values });
  const { control } = form;
  const [kind, span, isRolling] = useWatch({ control, name: ['budgetKind', 'budgetSpan', 'budgetRolling'] });
  const isFixed = span === 'FIXED';
  const isPeriod = !isFixed && span !== 'MINUTE';
  const isTime = (text: unknown) => isLocalTime(String(text)) || t('budgets.timeInvalid');
  return (
    <FormDialog
      form={form}
      title={title}
      submitLabel={submitLabel}
      errorField="budgetAmount"
      fieldNames={budgetFields}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      {!fixed && (
        <FieldRow>
          <SelectInput
            control={control}
            name="budgetKind"
            label={t('budgets.kind')}
            onPick={(picked) => {
              if (picked === 'MONEY' && span === 'MINUTE') form.setValue('budgetSpan', 'DAY');
            }}
            choices={budgetKinds.map((value) => ({ value, label: t(`budgets.kinds.${value}`) }))}
          />
          <SelectInput
            control={control}
            name="budgetSpan"
            label={t('budgets.window')}
            {...(kind === 'MONEY' || level === 'CHANNEL' ? {} : { hint: t('budgets.windowHint') })}
            choices={spansFor(level, kind).map((value) => ({ value, label: t(`budgets.spans.${value}`) }))}
          />
        </FieldRow>
      )}
      <NumberInput
        control={control}
        name="budgetAmount"
        label={t(`budgets.amounts.${kind}`)}
        required
        {...(kind === 'MONEY' ? { prefix: '$' } : {})}
        rules={{
          validate: (value) =>
            isBudgetAmount(kind, String(value)) ||
            t(kind === 'MONEY' ? 'fields.amountInvalid' : 'budgets.numberInvalid'),
        }}
      />
      {!fixed && isPeriod && (
        <SwitchRow
          control={control}
          name="budgetRolling"
          label={t('budgets.rolling')}
          hint={t('budgets.rollingHint')}
        />
      )}
      {!fixed && isPeriod && !isRolling && (
        <ComboInput
          control={control}
          name="budgetZone"
          label={t('budgets.zone')}
          hint={t('budgets.zoneHint')}
          choices={zoneChoices}
        />
      )}
      {!fixed && isFixed && (
        <FieldRow>
          <BoundDateTime
            control={control}
            name="budgetStart"
            label={t('budgets.start')}
            hint={t('time.zone', { zone: readerZone() })}
            required
            rules={{ validate: isTime }}
          />
          <BoundDateTime
            control={control}
            name="budgetEnd"
            label={t('budgets.end')}
            required
            rules={{
              validate: (value, { budgetStart }) => {
                const valid = isTime(value);
                return valid === true ? String(value) > budgetStart || t('budgets.endBeforeStart') : valid;
              },
            }}
          />
        </FieldRow>
      )}
      <ChipsInput
        control={control}
        name="budgetModels"
        label={t('fields.models')}
        optional
        free
        options={[]}
        hint={t('budgets.modelsHint')}
      />
    </FormDialog>
  );
}
