import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { FieldRow } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { useSetting } from '../settings/SettingsContext.js';
import { dataKinds } from './guardrailForm.js';
import { areIds, groupNames, textsOf, type CallerForm, type RuleRow } from './ruleText.js';

/** Kinds of personal data, one box each. */
export function KindBoxes<T extends FieldValues>({
  control,
  name,
  label,
  required = false,
}: {
  readonly control: Control<T>;
  readonly name: FieldPath<T>;
  readonly label: string;
  readonly required?: boolean;
}) {
  const { t } = useTranslation();
  const { field, fieldState } = useController({
    control,
    name,
    rules: { validate: (kinds: string[]) => !required || kinds.length > 0 || t('rules.kindsMissing') },
  });
  const kinds = field.value as string[];
  const problem = fieldState.error?.message;
  return (
    <Box role="group" aria-label={label}>
      <Box sx={{ mb: '2px', fontSize: 12.5, lineHeight: '18px', fontWeight: 500 }}>{label}</Box>
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}>
        {dataKinds.map((kind, index) => (
          <FormControlLabel
            key={kind}
            label={t(`rules.kinds.${kind}`)}
            slotProps={{ typography: { sx: { fontSize: 13 } } }}
            sx={{ ml: 0, gap: 1 }}
            control={
              <Checkbox
                size="small"
                checked={kinds.includes(kind)}
                {...(index === 0 ? { slotProps: { input: { ref: field.ref } } } : {})}
                onChange={(_, on) =>
                  field.onChange(dataKinds.filter((each) => (each === kind ? on : kinds.includes(each))))
                }
              />
            }
          />
        ))}
      </Box>
      {problem && (
        <FormHelperText error role="alert">
          {problem}
        </FormHelperText>
      )}
    </Box>
  );
}

/** Groups and ids of tokens. @param needed at least one of both */
export function CallerInputs<T extends FieldValues & CallerForm>({
  control,
  needed,
}: {
  readonly control: Control<T>;
  readonly needed: boolean;
}) {
  const { t } = useTranslation();
  const groups = groupNames(useSetting('GroupRatio').value);
  return (
    <FieldRow>
      <ChipsInput
        control={control}
        name={'groups' as FieldPath<T>}
        label={t('rules.groups')}
        options={groups}
        free
        optional={!needed}
        rules={{
          validate: (_: unknown, form: T) =>
            !needed || form.groups.length + form.tokens.length > 0 || t('rules.callersMissing'),
        }}
      />
      <ChipsInput
        control={control}
        name={'tokens' as FieldPath<T>}
        label={t('rules.tokens')}
        hint={t('rules.tokensHint')}
        options={[]}
        free
        optional
        rules={{ validate: (ids: unknown) => areIds(textsOf(ids)) || t('rules.idsWrong') }}
      />
    </FieldRow>
  );
}

/** Chips of a rule's callers, in its summary. */
export function CallerChips({ row }: { readonly row: RuleRow }) {
  const { t } = useTranslation();
  const groups = textsOf(row['groups']);
  const tokens = textsOf(row['tokens']);
  if (groups.length + tokens.length === 0) return <ToneChip tone="outline">{t('rules.everyone')}</ToneChip>;
  return (
    <>
      {groups.map((name) => (
        <ToneChip key={`group ${name}`} tone="outline">
          {t('rules.ofGroup', { name })}
        </ToneChip>
      ))}
      {tokens.map((id) => (
        <ToneChip key={`token ${id}`} tone="outline">
          {t('rules.ofToken', { id })}
        </ToneChip>
      ))}
    </>
  );
}
