import Box from '@mui/material/Box';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { DrawerSection } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import type { ControlProps } from '../settings/AreaControl.js';
import { toCaptureForm, toCaptureRow, type CaptureForm } from './captureForm.js';
import { RuleDrawer } from './RuleDrawer.js';
import { CallerChips, CallerInputs, KindBoxes } from './RuleFields.js';
import { RuleList, type RuleEditorProps } from './RuleList.js';
import { linesOf, ofText, wrongPatterns, type RuleRow } from './ruleText.js';
import { listText } from '../../lib/format.js';

/** The rules by which content is captured, as a list with an editor. */
export function CapturesControl(props: ControlProps) {
  const { t } = useTranslation();
  return (
    <RuleList
      control={props}
      addLabel={t('rules.addCapture')}
      nameOf={(_, index) => t('rules.numbered', { number: index + 1 })}
      summary={(row) => <Summary row={row} />}
      renderEditor={(editor) => <CaptureDrawer {...editor} />}
    />
  );
}

function Summary({ row }: { readonly row: RuleRow }) {
  const { t } = useTranslation();
  const { percent, redact, redactWords } = toCaptureForm(row);
  const words = linesOf(redactWords).length;
  return (
    <>
      <ToneChip tone="blue">{t('rules.share', { percent })}</ToneChip>
      <CallerChips row={row} />
      <Box component="span" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {redact.length === 0 && words === 0
          ? t('rules.notRedacted')
          : t('rules.redacted', {
              what: listText([
                ...redact.map((kind) => t(`rules.kinds.${kind}` as 'rules.kinds.email')),
                ...(words > 0 ? [t('rules.words', { count: words })] : []),
              ]),
            })}
      </Box>
    </>
  );
}

function CaptureDrawer({ row, onSave, onClose }: RuleEditorProps) {
  const { t } = useTranslation();
  const form = useForm<CaptureForm>({ defaultValues: toCaptureForm(row) });
  const { control } = form;
  const save = form.handleSubmit((values) => onSave(toCaptureRow(values)));
  return (
    <RuleDrawer
      title={row ? t('rules.editCapture') : t('rules.addCapture')}
      isChanged={form.formState.isDirty}
      onSave={() => void save()}
      onClose={onClose}
    >
      <DrawerSection title={t('rules.callers')} explanation={t('rules.captureCallersText')}>
        <CallerInputs control={control} needed />
        <NumberInput
          control={control}
          name="percent"
          label={t('rules.percent')}
          unit="%"
          required
          hint={t('rules.percentHint')}
          rules={ofText(
            (typed: string) =>
              (typed.trim() !== '' && Number(typed) >= 0 && Number(typed) <= 100) || t('rules.percentWrong'),
          )}
        />
      </DrawerSection>
      <DrawerSection title={t('rules.redaction')} explanation={t('rules.redactionText')}>
        <KindBoxes control={control} name="redact" label={t('rules.patterns')} />
        <TextInput
          control={control}
          name="redactWords"
          label={t('rules.wordList')}
          optional
          rows={3}
          mono
          hint={t('rules.wordsHint')}
          rules={ofText((text: string) => {
            const [wrong] = wrongPatterns(linesOf(text));
            return wrong === undefined || t('rules.patternWrong', { pattern: wrong });
          })}
        />
      </DrawerSection>
    </RuleDrawer>
  );
}
