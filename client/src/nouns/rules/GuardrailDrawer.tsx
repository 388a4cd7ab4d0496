import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ChipsInput } from '../../components/form/ChipsInput.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { SelectInput } from '../../components/form/SelectInput.js';
import { DrawerSection, FieldRow } from '../../components/SideDrawer.js';
import {
  actionsOf,
  checks,
  isRemote,
  stages,
  toGuardrailForm,
  toGuardrailRow,
  type GuardrailForm,
} from './guardrailForm.js';
import { RuleDrawer } from './RuleDrawer.js';
import { CallerInputs, KindBoxes } from './RuleFields.js';
import type { RuleEditorProps } from './RuleList.js';
import { linesOf, ofText, wrongPatterns } from './ruleText.js';
import { TryGuardrail } from './TryGuardrail.js';

const moderationAddress = 'https://api.openai.com/v1/moderations';
const moderationModel = 'omni-moderation-latest';

/** Editor of one guardrail rule, with a field to try it. */
export function GuardrailDrawer({ row, others, onSave, onClose }: RuleEditorProps) {
  const { t } = useTranslation();
  const form = useForm<GuardrailForm>({ defaultValues: toGuardrailForm(row) });
  const { control } = form;
  const check = form.watch('check');
  const taken = others.map((other) => toGuardrailForm(other).name);
  const save = form.handleSubmit((values) => onSave(toGuardrailRow(values)));
  return (
    <RuleDrawer
      title={row ? t('rules.editGuardrail') : t('rules.addGuardrail')}
      isChanged={form.formState.isDirty}
      onSave={() => void save()}
      onClose={onClose}
    >
      <DrawerSection title={t('rules.rule')}>
        <TextInput
          control={control}
          name="name"
          label={t('fields.name')}
          required
          maxLength={64}
          hint={t('rules.nameHint')}
          rules={ofText((name: string) =>
            name.trim() === '' ? t('rules.nameMissing') : taken.includes(name.trim()) ? t('rules.nameTaken') : true,
          )}
        />
        <FieldRow>
          <SelectInput
            control={control}
            name="stage"
            label={t('rules.stage')}
            choices={stages.map((stage) => ({ value: stage, label: t(`rules.stages.${stage}`) }))}
          />
          <SelectInput
            control={control}
            name="action"
            label={t('rules.action')}
            choices={actionsOf(check).map((action) => ({ value: action, label: t(`rules.actions.${action}`) }))}
          />
        </FieldRow>
      </DrawerSection>
      <DrawerSection title={t('rules.check')} explanation={t(`rules.checkTexts.${check}`)}>
        <SelectInput
          control={control}
          name="check"
          label={t('rules.checkedBy')}
          choices={checks.map((each) => ({ value: each, label: t(`rules.checks.${each}`) }))}
          onPick={(picked) => {
            if (picked === 'moderation' && form.getValues('action') === 'mask') form.setValue('action', 'block');
          }}
        />
        {check === 'words' && (
          <TextInput
            control={control}
            name="words"
            label={t('rules.wordList')}
            required
            rows={4}
            mono
            hint={t('rules.wordsHint')}
            rules={ofText((text: string) => {
              const [wrong] = wrongPatterns(linesOf(text));
              if (wrong !== undefined) return t('rules.patternWrong', { pattern: wrong });
              return linesOf(text).length > 0 || t('rules.wordsMissing');
            })}
          />
        )}
        {check === 'patterns' && <KindBoxes control={control} name="patterns" label={t('rules.patterns')} required />}
        {isRemote(check) && (
          <>
            <TextInput
              control={control}
              name="url"
              label={t('rules.address')}
              required={check === 'webhook'}
              optional={check === 'moderation'}
              placeholder={check === 'moderation' ? moderationAddress : 'https://guard.example.com/check'}
              rules={ofText(
                (url: string) =>
                  (url.trim() === '' && check === 'moderation') || isAddress(url) || t('rules.addressWrong'),
              )}
            />
            {check === 'moderation' && (
              <>
                <FieldRow>
                  <TextInput
                    control={control}
                    name="model"
                    label={t('fields.model')}
                    optional
                    placeholder={moderationModel}
                    maxLength={100}
                  />
                  <NumberInput
                    control={control}
                    name="threshold"
                    label={t('rules.threshold')}
                    optional
                    hint={t('rules.thresholdHint')}
                    rules={ofText((typed: string) => isWithin(typed, 0, 1, true) || t('rules.thresholdWrong'))}
                  />
                </FieldRow>
                <ChipsInput
                  control={control}
                  name="categories"
                  label={t('rules.categories')}
                  hint={t('rules.categoriesHint')}
                  optional
                  free
                  options={categories}
                />
              </>
            )}
            <FieldRow>
              <NumberInput
                control={control}
                name="timeout"
                label={t('rules.timeout')}
                unit="ms"
                required
                rules={ofText(
                  (typed: string) =>
                    (isWithin(typed, 50, 30_000) && Number.isInteger(Number(typed))) || t('rules.timeoutWrong'),
                )}
              />
              <SelectInput
                control={control}
                name="onFailure"
                label={t('rules.onFailure')}
                choices={(['closed', 'open'] as const).map((value) => ({ value, label: t(`rules.failures.${value}`) }))}
              />
            </FieldRow>
          </>
        )}
      </DrawerSection>
      <DrawerSection title={t('rules.callers')} explanation={t('rules.callersText')}>
        <CallerInputs control={control} needed={false} />
      </DrawerSection>
      <DrawerSection title={t('rules.try')} explanation={t(isRemote(check) ? 'rules.tryRemoteText' : 'rules.tryText')}>
        <TryGuardrail
          rule={async () => {
            if (!(await form.trigger())) return null;
            return toGuardrailRow(form.getValues());
          }}
        />
      </DrawerSection>
    </RuleDrawer>
  );
}

/** Categories of OpenAI's moderation. */
const categories = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic'],
];

const isAddress = (url: string): boolean => URL.canParse(url.trim()) && /^https?:\/\//.test(url.trim());

const isWithin = (typed: string, from: number, to: number, mayBeEmpty = false): boolean =>
  typed.trim() === '' ? mayBeEmpty : Number(typed) >= from && Number(typed) <= to;
