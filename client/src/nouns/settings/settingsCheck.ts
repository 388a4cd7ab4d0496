import type { TFunction } from 'i18next';
import { findJsonProblem } from '../../lib/jsonText.js';
import type { Setting } from './settingKinds.js';
import { sectionsOf } from './settingsCatalog.js';
import { settingsByKey } from './settingsByKey.js';
import type { DraftState } from './settingsDraft.js';

/** Labels separated by dots, the last of letters only. */
const domainPattern = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i;

/** @returns the problem with a new entry of the email domains, or null */
export function checkDomain(entry: string, present: readonly string[], t: TFunction): string | null {
  if (!domainPattern.test(entry)) return t('settings.domainInvalid');
  return present.includes(entry.toLowerCase()) ? t('settings.domainTwice') : null;
}

function checkNumber(setting: Extract<Setting, { kind: 'number' }>, value: string, t: TFunction): string | null {
  const { minimum, maximum, decimal = false } = setting;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return t('settings.numberMissing');
  if (!decimal && !Number.isSafeInteger(number)) return t('form.wholeNumber');
  if (minimum !== undefined && number < minimum) return t('form.atLeast', { minimum });
  return maximum !== undefined && number > maximum ? t('settings.atMost', { maximum }) : null;
}

/** @returns the problem with a value, or null */
export function checkValue(setting: Setting, value: string, t: TFunction): string | null {
  switch (setting.kind) {
    case 'number':
      return checkNumber(setting, value, t);
    case 'json':
    case 'guardrails':
    case 'captures':
    case 'chats': {
      if (value.trim() === '') return t('settings.jsonMissing');
      const problem = findJsonProblem(value);
      return problem && t('form.invalidJson', { line: problem.line });
    }
    default:
      return null;
  }
}

const paymentKeys = new Set(
  sectionsOf.system
    .find(({ id }) => id === 'payment')
    ?.settings.map(({ key }) => key)
    .filter((key) => key !== 'TopUpLink'),
);

/**
 * Returns the reason why a change cannot be saved: the value is invalid, or a setting that it requires is off. Null if
 * it can be saved.
 */
export function blockOf(key: string, { saved, edits }: DraftState, t: TFunction): string | null {
  const value = edits.get(key);
  const setting = settingsByKey.get(key)?.setting;
  if (value === undefined || !setting) return null;
  const wrong = checkValue(setting, value, t);
  if (wrong !== null) {
    return key === 'TopupGroupRatio' && findJsonProblem(value) ? t('settings.topUpRatioInvalid') : wrong;
  }
  const address = edits.get('ServerAddress') ?? saved.get('ServerAddress')?.value ?? '';
  if (paymentKeys.has(key) && address.trim() === '') return t('settings.addressFirst');
  return null;
}

/** Returns the problem of a value, including the server's message for a rejected one. */
export const problemOf = (key: string, state: DraftState, t: TFunction): string | null =>
  blockOf(key, state, t) ?? state.refused.get(key) ?? null;
