import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { dateTime, integer, listText } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import type { RowAction } from '../../components/ActionMenu.js';
import { RowMenu } from '../../components/RowMenu.js';
import { ToneChip } from '../../components/Tone.js';
import type { NewTokenBudget } from './budgetForm.js';
import type { BudgetKind, BudgetLineFragment } from './budgets.generated.js';

/** Amounts of budgets: money in the form of the site, tokens and requests as whole numbers. */
export function useBudgetAmount(): (kind: BudgetKind, amount: number) => string {
  const { t } = useTranslation();
  const { money } = useFormat();
  return useCallback(
    (kind, amount) => {
      if (kind === 'MONEY') return money(amount, 'amount');
      return t(kind === 'TOKENS' ? 'budgets.tokenCount' : 'budgets.requestCount', {
        count: amount,
        amount: integer(amount),
      });
    },
    [t, money],
  );
}

/** The amount and the window of a budget: "$1.00 per day". */
export function useBudgetTitle(): (budget: NewTokenBudget) => string {
  const { t } = useTranslation();
  const amountOf = useBudgetAmount();
  return useCallback(
    ({ kind, amount, span, isRolling, startsAt, endsAt }) => {
      const text = amountOf(kind, amount);
      if (span === 'FIXED') {
        return t('budgets.fixed', { amount: text, start: dateTime(startsAt ?? null), end: dateTime(endsAt ?? null) });
      }
      return t(`budgets.${isRolling ? 'rollingPer' : 'per'}.${span}`, { amount: text });
    },
    [t, amountOf],
  );
}

/**
 * Formats `2026-11-23 00:00 (Asia/Shanghai)`, because calendar windows end at midnight in the budget's zone, and the
 * browser may be in another one.
 */
function resetTime({ span, timeZone }: BudgetLineFragment, time: string): string {
  if (span === 'FIXED') return dateTime(time);
  return `${dateTime(time, 'minutes', timeZone)} (${timeZone})`;
}

/** Returns the words for the time at which a budget begins again with its whole amount. */
export function useBudgetReset(): (budget: BudgetLineFragment) => string {
  const { t } = useTranslation();
  return useCallback(
    (budget) => {
      if (!budget.state) return t('budgets.closed');
      const { resetsAt } = budget.state;
      return resetsAt ? t('budgets.resets', { time: resetTime(budget, resetsAt) }) : t('budgets.resetsGradually');
    },
    [t],
  );
}

/** The used part of a budget, and the amount that is reserved for running calls. */
const takenOf = ({ state }: BudgetLineFragment): number => (state ? state.used + state.held : 0);

/** Whether a budget refuses the calls that it counts. A budget counts no calls outside its range. */
export const isUsedUp = (budget: BudgetLineFragment): boolean =>
  budget.enabled && budget.state != null && takenOf(budget) >= budget.amount;

/** One budget with a bar of its use, the amount that is left and the time of its reset. */
export function BudgetRow({
  budget,
  name,
  actions,
}: {
  readonly budget: BudgetLineFragment;
  /** The name of the key, user, group or channel, if the list has several. */
  readonly name?: string | undefined;
  /** The row is read-only without actions. */
  readonly actions: readonly RowAction[];
}) {
  const { t } = useTranslation();
  const amountOf = useBudgetAmount();
  const title = useBudgetTitle()(budget);
  const { state, amount, kind } = budget;
  const taken = takenOf(budget);
  const share = amount > 0 ? Math.min(1, taken / amount) : 1;
  const resets = useBudgetReset()(budget);
  return (
    <Box
      component="li"
      sx={{ borderTop: '1px solid', borderColor: 'divider', py: 1.25, display: 'grid', gap: '6px', minWidth: 0 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
        <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 8px' }}>
          {name !== undefined && <Box sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{name}</Box>}
          <Box className="num" sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>
            {title}
          </Box>
          {!budget.enabled && <ToneChip tone="grey">{t('budgets.off')}</ToneChip>}
          {isUsedUp(budget) && <ToneChip tone="red">{t('budgets.usedUp')}</ToneChip>}
          {budget.byAdmin && (budget.level === 'TOKEN' || actions.length === 0) && (
            <ToneChip tone="outline">{t('budgets.byAdmin')}</ToneChip>
          )}
        </Box>
        {actions.length > 0 && <RowMenu label={t('budgets.moreOf', { name: title })} actions={actions} />}
      </Box>
      <LinearProgress
        variant="determinate"
        aria-label={t('budgets.share')}
        value={share * 100}
        color={share >= 1 ? 'error' : share >= 0.8 ? 'warning' : 'primary'}
        sx={{ opacity: budget.enabled ? 1 : 0.4 }}
      />
      <Box className="num" sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {state && (
          <Box>
            {[
              t('budgets.used', { amount: amountOf(kind, state.used) }),
              ...(state.held > 0 ? [t('budgets.held', { amount: amountOf(kind, state.held) })] : []),
              t('budgets.left', { amount: amountOf(kind, Math.max(0, amount - taken)) }),
            ].join(' · ')}
          </Box>
        )}
        <Box>{resets}</Box>
        {budget.models.length > 0 && <Box>{t('budgets.onlyModels', { models: listText(budget.models) })}</Box>}
      </Box>
    </Box>
  );
}
