import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { exactPercent, integer, listText, ratio } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { useBudgetAmount } from '../../nouns/budgets/BudgetRow.js';
import type { PlanFactsFragment, SubscriptionFactsFragment } from './plans.generated.js';

type Window = PlanFactsFragment['windows'][number];
type Receipt = SubscriptionFactsFragment['receipt'];

const daySeconds = 86_400;

/** Texts that describe plans. */
export function usePlanTexts() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const amountOf = useBudgetAmount();
  return useMemo(() => {
    const period = ({ periodUnit, periodCount }: Pick<PlanFactsFragment, 'periodUnit' | 'periodCount'>): string =>
      t(periodUnit === 'MONTH' ? 'plans.months' : 'plans.days', { count: periodCount, shown: integer(periodCount) });
    const window = ({ span, kind, amount }: Pick<Window, 'span' | 'kind' | 'amount'>): string => {
      const text = amountOf(kind, amount);
      return span === 'PERIOD' ? t('plans.perPeriod', { amount: text }) : t(`budgets.per.${span}`, { amount: text });
    };
    const overflow = ({ overflow: rule, overflowRatio }: Pick<PlanFactsFragment, 'overflow' | 'overflowRatio'>) => {
      if (rule === 'STOP') return t('plans.stops');
      return overflowRatio === 1 ? t('plans.paysOn') : t('plans.paysOnAt', { part: exactPercent(overflowRatio) });
    };
    const days = (seconds: number): string => {
      const count = Math.round((seconds / daySeconds) * 10) / 10;
      return t('plans.days', { count, shown: ratio(count) });
    };
    return {
      /** How the credit of an upgrade was computed. Empty without one. */
      credit: ({ credit, rest }: Receipt): string =>
        rest
          ? t('plans.creditOf', {
              paid: money(rest.paid, 'balance'),
              left: rest.kind ? amountOf(rest.kind, rest.left) : days(rest.left),
              of: rest.kind ? amountOf(rest.kind, rest.of) : days(rest.of),
              credit: money(credit, 'balance'),
            })
          : '',
      amountOf,
      period,
      window,
      price: (plan: Pick<PlanFactsFragment, 'price' | 'periodUnit' | 'periodCount'>): string =>
        t(plan.periodCount === 1 ? `plans.priceOfOne.${plan.periodUnit}` : 'plans.priceOf', {
          price: plan.price === 0 ? t('plans.free') : money(plan.price, 'balance'),
          period: period(plan),
        }),
      /** Everything that a plan grants, one line each. */
      grants: (plan: PlanFactsFragment): string[] => [
        ...plan.windows.map(window),
        ...(plan.groups.length > 0 ? [t('plans.opens', { groups: listText(plan.groups) })] : []),
        ...(plan.models.length > 0 ? [t('budgets.onlyModels', { models: listText(plan.models) })] : []),
        ...(plan.maxConcurrent === null ? [] : [t('plans.concurrent', { shown: integer(plan.maxConcurrent) })]),
        ...(plan.maxRequests === null ? [] : [t('plans.requests', { shown: integer(plan.maxRequests) })]),
        overflow(plan),
      ],
    };
  }, [t, money, amountOf]);
}
