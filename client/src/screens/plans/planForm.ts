import { isBudgetAmount } from '../../nouns/budgets/budgetForm.js';
import type { CreatePlanInput, PlanFactsFragment, UpdatePlanInput } from './plans.generated.js';

type Window = PlanFactsFragment['windows'][number];

/** A window as typed. */
export interface WindowValues {
  kind: Window['kind'];
  span: Window['span'];
  /** USD, tokens or requests. */
  amount: string;
}

/** The fields of the editor as typed. */
export interface PlanValues {
  name: string;
  description: string;
  /** USD. */
  price: string;
  periodCount: string;
  periodUnit: PlanFactsFragment['periodUnit'];
  windows: WindowValues[];
  groups: string[];
  models: string[];
  /** Empty: the limit of the site. */
  maxConcurrent: string;
  maxRequests: string;
  overflow: PlanFactsFragment['overflow'];
  /** Percent. */
  overflowPart: string;
  position: string;
  onSale: boolean;
}

const inOrder = <Value extends string>(values: Readonly<Record<Value, true>>) => Object.keys(values) as Value[];

export const planSpans = inOrder<Window['span']>({
  FIVE_HOURS: true,
  DAY: true,
  WEEK: true,
  MONTH: true,
  PERIOD: true,
});

const usd = (quota: number, quotaPerUnit: number): string => String(Number((quota / quotaPerUnit).toFixed(6)));
const toAmount = (kind: Window['kind'], text: string, quotaPerUnit: number): number =>
  kind === 'MONEY' ? Math.round(Number(text) * quotaPerUnit) : Number(text);

export const newWindow: WindowValues = { kind: 'MONEY', span: 'WEEK', amount: '' };

export const toPlanValues = (plan: PlanFactsFragment | null, quotaPerUnit: number): PlanValues => ({
  name: plan?.name ?? '',
  description: plan?.description ?? '',
  price: plan ? usd(plan.price, quotaPerUnit) : '',
  periodCount: String(plan?.periodCount ?? 1),
  periodUnit: plan?.periodUnit ?? 'MONTH',
  windows: plan
    ? plan.windows.map(({ kind, span, amount }) => ({
        kind,
        span,
        amount: kind === 'MONEY' ? usd(amount, quotaPerUnit) : String(amount),
      }))
    : [{ kind: 'MONEY', span: 'PERIOD', amount: '' }],
  groups: plan?.groups ?? [],
  models: plan?.models ?? [],
  maxConcurrent: String(plan?.maxConcurrent ?? ''),
  maxRequests: String(plan?.maxRequests ?? ''),
  overflow: plan?.overflow ?? 'STOP',
  overflowPart: String(Number(((plan?.overflowRatio ?? 1) * 100).toFixed(4))),
  position: String(plan?.position ?? 0),
  onSale: plan?.onSale ?? true,
});

export const isPrice = (text: string): boolean => isBudgetAmount('MONEY', text);
export const isWindowAmount = ({ kind, amount }: WindowValues): boolean =>
  isBudgetAmount(kind, amount) && Number(amount) > 0;

const limitOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

export const toPlanInput = (values: PlanValues, quotaPerUnit: number): Omit<CreatePlanInput, 'idempotencyKey'> => ({
  name: values.name.trim(),
  description: values.description.trim(),
  price: toAmount('MONEY', values.price, quotaPerUnit),
  periodCount: Number(values.periodCount),
  periodUnit: values.periodUnit,
  windows: values.windows.map(({ kind, span, amount }) => ({
    kind,
    span,
    amount: toAmount(kind, amount, quotaPerUnit),
  })),
  groups: values.groups,
  models: values.models,
  maxConcurrent: limitOf(values.maxConcurrent),
  maxRequests: limitOf(values.maxRequests),
  overflow: values.overflow,
  overflowRatio: Number((Number(values.overflowPart) / 100).toFixed(6)),
  position: Number(values.position),
  onSale: values.onSale,
});

/**
 * Returns the changed fields. Amounts that were not typed again are not sent, because dollars of six decimals round the
 * quota.
 */
export function toPlanUpdate(
  id: number,
  values: PlanValues,
  dirty: Partial<Record<keyof PlanValues, unknown>>,
  quotaPerUnit: number,
): UpdatePlanInput {
  const { overflowRatio, ...input } = toPlanInput(values, quotaPerUnit);
  const changed = Object.entries(input).filter(([name]) => dirty[name as keyof PlanValues] !== undefined);
  return {
    id,
    ...(Object.fromEntries(changed) as Omit<UpdatePlanInput, 'id'>),
    ...(dirty.overflowPart === undefined ? {} : { overflowRatio }),
  };
}
