import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { ToneChip, type Tone } from '../../components/Tone.js';
import type { ControlProps } from '../settings/AreaControl.js';
import { GuardrailDrawer } from './GuardrailDrawer.js';
import { isRemote, toGuardrailForm, type GuardrailForm } from './guardrailForm.js';
import { CallerChips } from './RuleFields.js';
import { RuleList } from './RuleList.js';
import { linesOf, type RuleRow } from './ruleText.js';
import { listText } from '../../lib/format.js';

const tones: Readonly<Record<GuardrailForm['action'], Tone>> = { block: 'red', mask: 'amber', log: 'blue' };

/** The guardrail rules as a list with an editor. */
export function GuardrailsControl(props: ControlProps) {
  const { t } = useTranslation();
  return (
    <RuleList
      control={props}
      addLabel={t('rules.addGuardrail')}
      nameOf={(row, index) => toGuardrailForm(row).name || t('rules.numbered', { number: index + 1 })}
      summary={(row) => <Summary row={row} />}
      renderEditor={(editor) => <GuardrailDrawer {...editor} />}
    />
  );
}

function Summary({ row }: { readonly row: RuleRow }) {
  const { t } = useTranslation();
  const form = toGuardrailForm(row);
  const { check, stage, action, onFailure } = form;
  return (
    <>
      <ToneChip tone={tones[action]}>{t(`rules.actions.${action}`)}</ToneChip>
      <ToneChip tone="outline">{t(`rules.stages.${stage}`)}</ToneChip>
      <CallerChips row={row} />
      <Box component="span" sx={{ fontSize: 12, color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {t(`rules.checks.${check}`)}
        {check === 'words' && ` · ${t('rules.words', { count: linesOf(form.words).length })}`}
        {check === 'patterns' &&
          ` · ${listText(form.patterns.map((kind) => t(`rules.kinds.${kind}` as 'rules.kinds.email')))}`}
        {check === 'webhook' && ` · ${form.url}`}
        {isRemote(check) && ` · ${form.timeout} ms · ${t(`rules.failing.${onFailure}`)}`}
      </Box>
    </>
  );
}
