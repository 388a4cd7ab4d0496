import { budgetKinds } from '../../shared/budget.js';
import { InvalidInputError } from '../../shared/errors.js';
import { maxQuota, quotaFrom } from '../../shared/quota.js';
import type { PlanInput } from './plan.entity.js';
import { overflows, periodUnits, planSpans, type PlanWindow } from './plan-terms.js';

const maxWindows = 10;
const maxNames = 100;
const maxNameLength = 200;
const maxPeriods = { day: 3660, month: 120 } as const;

/** @throws InvalidInputError */
export function parsePlan(given: PlanInput): PlanInput {
  const name = given.name.trim();
  if (name === '' || name.length > 100)
    throw new InvalidInputError('A plan needs a name of at most 100 characters', 'name');
  if (given.description.length > 2000) throw new InvalidInputError('At most 2000 characters', 'description');
  if (!isAmount(given.price)) throw new InvalidInputError(`The price must be ${quotaFrom(0)}`, 'price');
  if (!periodUnits.includes(given.periodUnit)) throw new InvalidInputError('Unknown unit', 'periodUnit');
  const maxCount = maxPeriods[given.periodUnit];
  if (!isWithin(given.periodCount, 1, maxCount)) {
    throw new InvalidInputError(`A period has 1 to ${maxCount} ${given.periodUnit}s`, 'periodCount');
  }
  if (!overflows.includes(given.overflow)) throw new InvalidInputError('Unknown rule', 'overflow');
  const windows = parseWindows(given.windows);
  const models = parseNames(given.models, 'models');
  // An image or a second of audio is a few tokens: without another bound, windows of tokens would pay for any number.
  if (models.length === 0 && windows.every(({ kind }) => kind === 'tokens')) {
    throw new InvalidInputError('A plan for all models needs a window of money or requests', 'windows');
  }
  const { overflowRatio } = given;
  if (!(overflowRatio >= 0.01 && overflowRatio <= 1)) {
    throw new InvalidInputError('The part of the price must be from 0.01 to 1', 'overflowRatio');
  }
  return {
    name,
    description: given.description.trim(),
    price: given.price,
    periodUnit: given.periodUnit,
    periodCount: given.periodCount,
    windows,
    groups: parseNames(given.groups, 'groups'),
    models,
    maxConcurrent: parseLimit(given.maxConcurrent, 'maxConcurrent'),
    maxRequests: parseLimit(given.maxRequests, 'maxRequests'),
    overflow: given.overflow,
    overflowRatio,
    position: isWithin(given.position, -1_000_000, 1_000_000) ? given.position : refuse('position'),
    onSale: given.onSale,
  };
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;
const isAmount = (value: number): boolean => isWithin(value, 0, maxQuota);

function refuse(field: string): never {
  throw new InvalidInputError('The number is out of range', field);
}

function parseWindows(windows: readonly PlanWindow[]): PlanWindow[] {
  if (windows.length === 0 || windows.length > maxWindows) {
    throw new InvalidInputError(`A plan needs 1 to ${maxWindows} windows`, 'windows');
  }
  return windows.map(({ span, kind, amount }) => {
    if (!planSpans.includes(span)) throw new InvalidInputError('Unknown window', 'windows');
    if (!budgetKinds.includes(kind)) throw new InvalidInputError('Unknown kind', 'windows');
    if (!isAmount(amount) || amount === 0) {
      throw new InvalidInputError(`The amount of a window must be ${quotaFrom(1)}`, 'windows');
    }
    return { span, kind, amount };
  });
}

function parseNames(names: readonly string[], field: string): string[] {
  const found = [...new Set(names.map((name) => name.trim()).filter(Boolean))];
  if (found.length > maxNames || found.some((name) => name.length > maxNameLength || /\p{Cc}/u.test(name))) {
    throw new InvalidInputError(`At most ${maxNames} names of ${maxNameLength} characters`, field);
  }
  return found;
}

function parseLimit(limit: number | null, field: string): number | null {
  if (limit !== null && !isWithin(limit, 1, 1_000_000)) return refuse(field);
  return limit;
}
