import { fromLocalTime, toLocalTime } from '../../lib/localTime.js';
import { readerZone } from '../../lib/reader.js';
import type {
  BudgetKind,
  BudgetLevel,
  BudgetLineFragment,
  BudgetSpan,
  CreateBudgetInput,
  UpdateBudgetInput,
} from './budgets.generated.js';

/** The calls that a budget counts. */
export interface BudgetSubject {
  readonly level: BudgetLevel;
  /** The id of a key, user or channel. */
  readonly subjectId?: number;
  readonly group?: string;
}

/**
 * Fields of the dialog. Their names differ from those of the editors in which it opens, because ids of inputs are
 * unique.
 */
export interface BudgetValues {
  budgetKind: BudgetKind;
  /** The amount as typed: USD, tokens or requests. */
  budgetAmount: string;
  budgetSpan: BudgetSpan;
  budgetRolling: boolean;
  budgetZone: string;
  /** Local time, `YYYY-MM-DDTHH:mm`. */
  budgetStart: string;
  budgetEnd: string;
  budgetModels: string[];
}

/** Form fields by the field that the server names. */
export const budgetFields: Readonly<Record<string, keyof BudgetValues>> = {
  amount: 'budgetAmount',
  models: 'budgetModels',
  timeZone: 'budgetZone',
  startsAt: 'budgetStart',
  endsAt: 'budgetEnd',
  span: 'budgetSpan',
};

const inOrder = <Value extends string>(values: Readonly<Record<Value, true>>) => Object.keys(values) as Value[];

export const budgetKinds = inOrder<BudgetKind>({ MONEY: true, TOKENS: true, REQUESTS: true });
const spans = inOrder<BudgetSpan>({
  MINUTE: true,
  FIVE_HOURS: true,
  DAY: true,
  WEEK: true,
  MONTH: true,
  FIXED: true,
});

/** Windows of a minute limit tokens and requests. Channels have limits per minute of their own. */
export const spansFor = (level: BudgetLevel, kind: BudgetKind): readonly BudgetSpan[] =>
  spans.filter((span) => span !== 'MINUTE' || (kind !== 'MONEY' && level !== 'CHANNEL'));

/** All IANA zones that this browser knows, the reader's and UTC first. */
export const zones = (): string[] => [...new Set([readerZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];

export const newBudget = (): BudgetValues => ({
  budgetKind: 'MONEY',
  budgetAmount: '',
  budgetSpan: 'DAY',
  budgetRolling: false,
  budgetZone: readerZone(),
  budgetStart: '',
  budgetEnd: '',
  budgetModels: [],
});

const local = (time: string | null): string => (time ? toLocalTime(time) : '');

export const toBudgetValues = (budget: BudgetLineFragment, quotaPerUnit: number): BudgetValues => ({
  budgetKind: budget.kind,
  budgetAmount: String(budget.kind === 'MONEY' ? Number((budget.amount / quotaPerUnit).toFixed(6)) : budget.amount),
  budgetSpan: budget.span,
  budgetRolling: budget.isRolling,
  budgetZone: budget.timeZone,
  budgetStart: local(budget.startsAt),
  budgetEnd: local(budget.endsAt),
  budgetModels: budget.models,
});

/** Whether a typed amount can be sent: dollars with up to six decimals, or a whole number. */
export const isBudgetAmount = (kind: BudgetKind, text: string): boolean =>
  (kind === 'MONEY' ? /^\d{1,9}(\.\d{1,6})?$/ : /^\d{1,15}$/).test(text.trim());

const amountOf = (kind: BudgetKind, text: string, quotaPerUnit: number): number =>
  kind === 'MONEY' ? Math.round(Number(text) * quotaPerUnit) : Number(text);

/** A budget of a key that is created with it. */
export type NewTokenBudget = Omit<CreateBudgetInput, 'level' | 'subjectId' | 'group'>;

export function toTokenBudget(values: BudgetValues, quotaPerUnit: number): NewTokenBudget {
  const isFixed = values.budgetSpan === 'FIXED';
  return {
    kind: values.budgetKind,
    amount: amountOf(values.budgetKind, values.budgetAmount, quotaPerUnit),
    span: values.budgetSpan,
    isRolling: !isFixed && values.budgetSpan !== 'MINUTE' && values.budgetRolling,
    timeZone: values.budgetZone,
    models: values.budgetModels,
    ...(isFixed
      ? {
          startsAt: fromLocalTime(values.budgetStart).toISOString(),
          endsAt: fromLocalTime(values.budgetEnd).toISOString(),
        }
      : {}),
  };
}

export const toNewBudget = (subject: BudgetSubject, values: BudgetValues, quotaPerUnit: number): CreateBudgetInput => ({
  ...subject,
  ...toTokenBudget(values, quotaPerUnit),
});

/** Sends the amount only if it was changed, since dollars of six decimals round the quota. */
export function toBudgetUpdate(
  budget: BudgetLineFragment,
  values: BudgetValues,
  quotaPerUnit: number,
): UpdateBudgetInput {
  const isSame = values.budgetAmount.trim() === toBudgetValues(budget, quotaPerUnit).budgetAmount;
  return {
    id: budget.id,
    models: values.budgetModels,
    ...(isSame ? {} : { amount: amountOf(budget.kind, values.budgetAmount, quotaPerUnit) }),
  };
}
