import { callerFields, callersOf, linesOf, textsOf, type CallerForm, type RuleRow } from './ruleText.js';

export const checks = ['words', 'patterns', 'moderation', 'webhook'] as const;
export type Check = (typeof checks)[number];
export const stages = ['input', 'output', 'both'] as const;
export const actions = ['block', 'mask', 'log'] as const;
export const dataKinds = ['email', 'phone', 'card', 'id_number', 'key'] as const;

/** A guardrail rule as typed. Fields of other checks keep their typed values, and are not stored. */
export interface GuardrailForm extends CallerForm {
  readonly name: string;
  readonly stage: (typeof stages)[number];
  readonly action: (typeof actions)[number];
  readonly check: Check;
  /** Each line is one word or phrase. */
  readonly words: string;
  readonly patterns: string[];
  readonly url: string;
  readonly model: string;
  readonly categories: string[];
  readonly threshold: string;
  readonly timeout: string;
  readonly onFailure: 'open' | 'closed';
}

/** The form of a rule; of a new one without a row. */
export function toGuardrailForm(row: RuleRow = {}): GuardrailForm {
  return {
    name: textOf(row['name']),
    stage: choiceOf(row['stage'], stages, 'input'),
    action: choiceOf(row['action'], actions, 'block'),
    check: choiceOf(row['check'], checks, 'words'),
    words: textsOf(row['words']).join('\n'),
    patterns: Array.isArray(row['patterns']) ? textsOf(row['patterns']) : [...dataKinds],
    url: textOf(row['url']),
    model: textOf(row['model']),
    categories: textsOf(row['categories']),
    threshold: textOf(row['threshold']),
    timeout: textOf(row['timeout_ms']) || '2000',
    onFailure: choiceOf(row['on_failure'], ['open', 'closed'], 'closed'),
    ...callersOf(row),
  };
}

/** The stored rule. The form has been validated. */
export function toGuardrailRow(form: GuardrailForm): RuleRow {
  const { name, stage, action, check } = form;
  return { name: name.trim(), stage, action, check, ...checkFields(form), ...callerFields(form) };
}

function checkFields(form: GuardrailForm): RuleRow {
  if (form.check === 'words') return { words: linesOf(form.words) };
  if (form.check === 'patterns') return { patterns: form.patterns };
  const remote = {
    ...(form.url.trim() === '' ? {} : { url: form.url.trim() }),
    timeout_ms: Number(form.timeout),
    on_failure: form.onFailure,
  };
  if (form.check === 'webhook') return remote;
  return {
    ...remote,
    ...(form.model.trim() === '' ? {} : { model: form.model.trim() }),
    ...(form.categories.length > 0 ? { categories: form.categories } : {}),
    ...(form.threshold.trim() === '' ? {} : { threshold: Number(form.threshold) }),
  };
}

/** Moderation names categories, not parts of the text. */
export const actionsOf = (check: Check): readonly (typeof actions)[number][] =>
  check === 'moderation' ? ['block', 'log'] : actions;

export const isRemote = (check: Check): boolean => check === 'moderation' || check === 'webhook';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const choiceOf = <Choice extends string>(value: unknown, choices: readonly Choice[], usual: Choice): Choice =>
  choices.find((choice) => choice === value) ?? usual;
