import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useFieldArray, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { EditorDrawer } from '../../components/form/EditorDrawer.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { SwitchRow } from '../../components/form/SwitchRow.js';
import { DrawerSection, FieldRow } from '../../components/SideDrawer.js';
import { toast } from '../../components/toast.js';
import { useStatus } from '../../lib/status.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { budgetKinds } from '../../nouns/budgets/budgetForm.js';
import { isPrice, isWindowAmount, newWindow, planSpans, toPlanInput, toPlanUpdate, toPlanValues } from './planForm.js';
import type { PlanValues } from './planForm.js';
import {
  CreatePlanDocument,
  PlanGroupsDocument,
  type PlanFactsFragment,
  UpdatePlanDocument,
} from './plans.generated.js';

const maxWindows = 10;

export function PlanEditor({
  plan,
  onSaved,
  onClosed,
}: {
  /** Null creates a plan. */
  readonly plan: PlanFactsFragment | null;
  readonly onSaved: () => void;
  readonly onClosed: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const groups = useQuery(PlanGroupsDocument, { fetchPolicy: 'cache-first' }).data?.groups ?? [];
  const [create] = useMutation(CreatePlanDocument);
  const [update] = useMutation(UpdatePlanDocument);
  const keyOf = useIdempotencyKey();
  const form = useForm<PlanValues>({ mode: 'onTouched', defaultValues: toPlanValues(plan, quotaPerUnit) });
  const { control } = form;
  const { dirtyFields } = form.formState;
  const windows = useFieldArray({ control, name: 'windows' });
  const [overflow, typed] = useWatch({ control, name: ['overflow', 'windows'] });
  const whole = (low: number, isOptional: boolean) => (value: unknown) =>
    (isOptional && value === '') ||
    (/^-?\d{1,7}$/.test(String(value)) && Number(value) >= low) ||
    t('plans.wholeInvalid');

  const save = async (values: PlanValues) => {
    if (plan) {
      await update({ variables: { input: toPlanUpdate(plan.id, values, dirtyFields, quotaPerUnit) } });
    } else {
      const input = toPlanInput(values, quotaPerUnit);
      await create({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
    }
    toast.success(t('plans.saved', { name: values.name.trim() }));
    onSaved();
  };

  return (
    <EditorDrawer
      form={form}
      width={640}
      title={plan ? t('plans.edit') : t('plans.create')}
      meta={plan ? `#${plan.id}` : t('plans.createMeta')}
      saveLabel={plan ? t('plans.save') : t('plans.create')}
      fieldNames={{ overflowRatio: 'overflowPart' }}
      onSave={save}
      onClosed={onClosed}
    >
      <DrawerSection title={t('plans.general')}>
        <TextInput
          control={control}
          name="name"
          label={t('fields.name')}
          maxLength={100}
          required
          autoFocus
          rules={{ validate: (_, { name }) => name.trim() !== '' || t('plans.missing') }}
        />
        <TextInput
          control={control}
          name="description"
          label={t('plans.description')}
          maxLength={2000}
          rows={2}
          optional
        />
        <FieldRow columns={3}>
          <NumberInput
            control={control}
            name="price"
            prefix="$"
            label={t('plans.price')}
            required
            rules={{ validate: (_, { price }) => isPrice(price) || t('fields.amountInvalid') }}
          />
          <NumberInput
            control={control}
            name="periodCount"
            label={t('plans.period')}
            required
            rules={{ validate: whole(1, false) }}
          />
          <SelectInput
            control={control}
            name="periodUnit"
            label={t('plans.unit')}
            choices={(['DAY', 'MONTH'] as const).map((value) => ({ value, label: t(`plans.units.${value}`) }))}
          />
        </FieldRow>
        <SwitchRow control={control} name="onSale" label={t('plans.isOnSale')} hint={t('plans.isOnSaleHint')} />
      </DrawerSection>
      <DrawerSection title={t('plans.windows')}>
        <Box sx={{ color: 'text.secondary', fontSize: 13 }}>{t('plans.windowsHint')}</Box>
        {windows.fields.map(({ id }, index) => {
          const kind = typed[index]?.kind ?? 'MONEY';
          return (
            <Box key={id} sx={{ display: 'flex', alignItems: 'flex-start', gap: 1 }}>
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <FieldRow columns={3}>
                  <SelectInput
                    control={control}
                    name={`windows.${index}.kind`}
                    label={t('budgets.kind')}
                    choices={budgetKinds.map((value) => ({ value, label: t(`budgets.kinds.${value}`) }))}
                  />
                  <NumberInput
                    control={control}
                    name={`windows.${index}.amount`}
                    label={t(`budgets.amounts.${kind}`)}
                    required
                    {...(kind === 'MONEY' ? { prefix: '$' } : {})}
                    rules={{
                      validate: (_, values) => {
                        const window = values.windows[index];
                        const problem = kind === 'MONEY' ? 'fields.amountInvalid' : 'budgets.numberInvalid';
                        return (window && isWindowAmount(window)) || t(problem);
                      },
                    }}
                  />
                  <SelectInput
                    control={control}
                    name={`windows.${index}.span`}
                    label={t('budgets.window')}
                    choices={planSpans.map((value) => ({ value, label: t(`plans.spans.${value}`) }))}
                  />
                </FieldRow>
              </Box>
              {windows.fields.length > 1 && (
                <IconButton
                  aria-label={t('plans.removeWindow', { number: index + 1 })}
                  sx={{ mt: 2.5 }}
                  onClick={() => windows.remove(index)}
                >
                  <DeleteOutlinedIcon />
                </IconButton>
              )}
            </Box>
          );
        })}
        {windows.fields.length < maxWindows && (
          <Box>
            <Button startIcon={<AddOutlinedIcon />} variant="outlined" onClick={() => windows.append(newWindow)}>
              {t('plans.addWindow')}
            </Button>
          </Box>
        )}
      </DrawerSection>
      <DrawerSection title={t('plans.scope')}>
        <ChipsInput
          control={control}
          name="groups"
          label={t('plans.groups')}
          optional
          options={groups}
          hint={t('plans.groupsHint')}
        />
        <ChipsInput
          control={control}
          name="models"
          label={t('fields.models')}
          optional
          free
          options={[]}
          hint={t('budgets.modelsHint')}
        />
        <FieldRow>
          <NumberInput
            control={control}
            name="maxConcurrent"
            label={t('plans.maxConcurrent')}
            optional
            hint={t('plans.limitHint')}
            rules={{ validate: whole(1, true) }}
          />
          <NumberInput
            control={control}
            name="maxRequests"
            label={t('plans.maxRequests')}
            optional
            hint={t('plans.requestsHint')}
            rules={{ validate: whole(1, true) }}
          />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('plans.payment')}>
        <FieldRow>
          <SelectInput
            control={control}
            name="overflow"
            label={t('plans.overflow')}
            choices={(['STOP', 'WALLET'] as const).map((value) => ({ value, label: t(`plans.overflows.${value}`) }))}
          />
          {overflow === 'WALLET' && (
            <NumberInput
              control={control}
              name="overflowPart"
              label={t('plans.part')}
              required
              hint={t('plans.partHint')}
              rules={{
                validate: (value) => (Number(value) >= 1 && Number(value) <= 100) || t('plans.partInvalid'),
              }}
            />
          )}
          <NumberInput
            control={control}
            name="position"
            label={t('plans.position')}
            required
            hint={t('plans.positionHint')}
            rules={{ validate: whole(-1_000_000, false) }}
          />
        </FieldRow>
      </DrawerSection>
    </EditorDrawer>
  );
}
