import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { isUsedUp, useBudgetReset, useBudgetTitle } from './BudgetRow.js';
import type { BudgetLineFragment } from './budgets.generated.js';
import { listText } from '../../lib/format.js';

/**
 * Describes the budgets that refuse calls with a key: one line each.
 * @returns null where none does
 */
export function useUsedUpText(): (budgets: readonly BudgetLineFragment[] | null | undefined) => string | null {
  const { t } = useTranslation();
  const titleOf = useBudgetTitle();
  const resetOf = useBudgetReset();
  return useCallback(
    (budgets) => {
      // A budget that was raised since the keys were read no longer refuses calls.
      const lines = (budgets ?? [])
        .filter(isUsedUp)
        .map((budget) =>
          [
            `${t(budget.level === 'USER' ? 'budgets.ofUser' : 'budgets.ofKey')}: ${titleOf(budget)}`,
            ...(budget.models.length > 0 ? [t('budgets.onlyModels', { models: listText(budget.models) })] : []),
            resetOf(budget),
          ].join(' · '),
        );
      return lines.length === 0 ? null : lines.join('\n');
    },
    [t, titleOf, resetOf],
  );
}
