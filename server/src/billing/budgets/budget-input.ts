import { isTimeZone } from '../../shared/calendar.js';
import { budgetKinds, budgetLevels, budgetSpans, isRate } from '../../shared/budget.js';
import { unixSeconds } from '../../shared/clock.js';
import { InvalidInputError } from '../../shared/errors.js';
import { lastSecond } from '../../shared/limits.js';
import { maxQuota, quotaFrom } from '../../shared/quota.js';
import type { Budget } from './budget.entity.js';

/**
 * Fields of a new budget. Only the fields of `BudgetPatch` can be changed afterwards; the others define what was
 * counted.
 */
export type NewBudget = Pick<
  Budget,
  | 'level'
  | 'subjectId'
  | 'groupName'
  | 'kind'
  | 'amount'
  | 'span'
  | 'isRolling'
  | 'timeZone'
  | 'startsAt'
  | 'endsAt'
  | 'models'
  | 'enabled'
>;

export type BudgetPatch = Pick<Budget, 'amount' | 'models' | 'enabled'>;

const maxModels = 100;
const maxModelLength = 200;

/** @throws InvalidInputError */
export function parseNewBudget(given: NewBudget): NewBudget {
  const { level, kind, span, isRolling, timeZone, startsAt, endsAt } = given;
  if (!budgetLevels.includes(level)) throw new InvalidInputError('Unknown level', 'level');
  if (!budgetKinds.includes(kind)) throw new InvalidInputError('Unknown kind', 'kind');
  if (!budgetSpans.includes(span)) throw new InvalidInputError('Unknown window', 'span');
  if (!isTimeZone(timeZone)) throw new InvalidInputError('Unknown time zone', 'timeZone');
  const hasSubject = level !== 'group' && level !== 'site';
  if (hasSubject && !(Number.isSafeInteger(given.subjectId) && given.subjectId > 0)) {
    throw new InvalidInputError(`A budget of a ${level} needs its id`, 'subjectId');
  }
  const groupName = level === 'group' ? given.groupName.trim() : '';
  if (level === 'group' && (groupName === '' || groupName.length > 64)) {
    throw new InvalidInputError('A budget of a group needs its name', 'group');
  }
  if (isRate(given)) {
    if (kind === 'money') throw new InvalidInputError('A limit per minute counts tokens or requests', 'kind');
    if (level === 'channel')
      throw new InvalidInputError('Limits per minute of a channel are set at the channel', 'level');
    if (isRolling) throw new InvalidInputError('A limit per minute cannot be rolling', 'isRolling');
  }
  const isFixed = span === 'fixed';
  if (isFixed && isRolling) throw new InvalidInputError('A fixed range cannot be rolling', 'isRolling');
  const start = startsAt ? unixSeconds(startsAt) : 0;
  const end = endsAt ? unixSeconds(endsAt) : 0;
  if (isFixed && !(start >= 0 && end > start && end <= lastSecond)) {
    throw new InvalidInputError('A fixed range needs a start before its end', 'startsAt');
  }
  return {
    level,
    kind,
    span,
    isRolling,
    timeZone,
    groupName,
    subjectId: hasSubject ? given.subjectId : 0,
    startsAt: isFixed ? startsAt : null,
    endsAt: isFixed ? endsAt : null,
    ...parseBudgetPatch(given),
  };
}

/** @throws InvalidInputError */
export function parseBudgetPatch({ amount, models, enabled }: BudgetPatch): BudgetPatch {
  if (!Number.isSafeInteger(amount) || amount < 0 || amount > maxQuota) {
    throw new InvalidInputError(`The amount must be ${quotaFrom(0)}`, 'amount');
  }
  const names = [...new Set(models.map((name) => name.trim()).filter(Boolean))];
  if (names.length > maxModels || names.some((name) => name.length > maxModelLength || /\p{Cc}/u.test(name))) {
    throw new InvalidInputError(`At most ${maxModels} models of ${maxModelLength} characters`, 'models');
  }
  return { amount, models: names, enabled };
}
