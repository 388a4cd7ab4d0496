import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../../lib/status.js';
import { FormDialog } from '../FormDialog.js';
import { ChipsInput } from '../form/ChipsInput.js';
import { ComboInput } from '../form/ComboInput.js';
import { NumberInput, TextInput } from '../form/inputs.js';
import { SelectInput } from '../form/SelectInput.js';
import { SwitchRow } from '../form/SwitchRow.js';
import { FieldRow } from '../SideDrawer.js';
import {
  budgetFields,
  budgetKinds,
  isBudgetAmount,
  newBudget,
  spansFor,
  toBudgetUpdate,
  toBudgetValues,
  toNewBudget,
  zones,
  type BudgetSubject,
} from './budgetForm.js';
import { CreateBudgetDocument, UpdateBudgetDocument, type BudgetLineFragment } from './budgets.generated.js';

/** Creates a budget, or changes the amount and the models of one. */
export function BudgetDialog({
  subject,
  budget,
  onSaved,
  onClose,
}: {
  readonly subject: BudgetSubject;
  /** Null creates a budget. */
  readonly budget: BudgetLineFragment | null;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const [create] = useMutation(CreateBudgetDocument);
  const [update] = useMutation(UpdateBudgetDocument);
  const [zoneChoices] = useState(() => zones().map((zone) => ({ value: zone, label: zone })));
  const form = useForm({
    mode: 'onTouched',
    defaultValues: budget ? toBudgetValues(budget, quotaPerUnit) : newBudget(),
  });
  const { control } = form;
  const [kind, span, isRolling] = useWatch({ control, name: ['budgetKind', 'budgetSpan', 'budgetRolling'] });
  const isFixed = span === 'FIXED';
  const isPeriod = !isFixed && span !== 'MINUTE';
  const isTime = (text: unknown) => !Number.isNaN(new Date(String(text)).getTime()) || t('budgets.timeInvalid');
  return (
    <FormDialog
      form={form}
      title={t(budget ? 'budgets.edit' : 'budgets.add')}
      submitLabel={t(budget ? 'budgets.save' : 'budgets.create')}
      errorField="budgetAmount"
      fieldNames={budgetFields}
      onClose={onClose}
      onSubmit={async (values) => {
        if (budget) await update({ variables: { input: toBudgetUpdate(budget, values, quotaPerUnit) } });
        else await create({ variables: { input: toNewBudget(subject, values, quotaPerUnit) } });
        await onSaved();
      }}
    >
      {!budget && (
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
            {...(kind === 'MONEY' || subject.level === 'CHANNEL' ? {} : { hint: t('budgets.windowHint') })}
            choices={spansFor(subject.level, kind).map((value) => ({ value, label: t(`budgets.spans.${value}`) }))}
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
      {!budget && isPeriod && (
        <SwitchRow
          control={control}
          name="budgetRolling"
          label={t('budgets.rolling')}
          hint={t('budgets.rollingHint')}
        />
      )}
      {!budget && isPeriod && !isRolling && (
        <ComboInput
          control={control}
          name="budgetZone"
          label={t('budgets.zone')}
          hint={t('budgets.zoneHint')}
          choices={zoneChoices}
        />
      )}
      {!budget && isFixed && (
        <FieldRow>
          <TextInput
            control={control}
            name="budgetStart"
            type="datetime-local"
            label={t('budgets.start')}
            required
            rules={{ validate: isTime }}
          />
          <TextInput
            control={control}
            name="budgetEnd"
            type="datetime-local"
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
