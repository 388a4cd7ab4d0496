import { dataKinds } from './guardrailForm.js';
import { callerFields, callersOf, linesOf, textsOf, type CallerForm, type RuleRow } from './ruleText.js';

/** An entry of the captures as typed. */
export interface CaptureForm extends CallerForm {
  readonly percent: string;
  readonly redact: string[];
  /** Each line is one word or phrase. */
  readonly redactWords: string;
}

export const toCaptureForm = (row: RuleRow = {}): CaptureForm => ({
  ...callersOf(row),
  percent: typeof row['percent'] === 'number' ? String(row['percent']) : '100',
  redact: Array.isArray(row['redact']) ? textsOf(row['redact']) : [...dataKinds],
  redactWords: textsOf(row['redact_words']).join('\n'),
});

/** The stored entry. The form has been validated. */
export function toCaptureRow(form: CaptureForm): RuleRow {
  const words = linesOf(form.redactWords);
  return {
    ...callerFields(form),
    percent: Number(form.percent),
    redact: form.redact,
    ...(words.length > 0 ? { redact_words: words } : {}),
  };
}
