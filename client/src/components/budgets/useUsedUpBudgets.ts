import { useQuery } from '@apollo/client/react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { isUsedUp, useBudgetReset, useBudgetTitle } from './BudgetRow.js';
import { BudgetsDocument } from './budgets.generated.js';

/**
 * Finds the budgets of a user and of the keys of that user that refuse calls now.
 * @returns describes those that count calls with a key; null where none does
 */
export function useUsedUpBudgets(userId: number | undefined): (tokenId: number) => string | null {
  const { t } = useTranslation();
  const titleOf = useBudgetTitle();
  const resetOf = useBudgetReset();
  const { data } = useQuery(BudgetsDocument, {
    variables: { filter: { userId: userId ?? 0 } },
    skip: userId === undefined,
    fetchPolicy: 'cache-and-network',
  });
  const usedUp = useMemo(
    // A minute is over before it is read.
    () => data?.budgets?.items.filter((one) => isUsedUp(one) && (one.span !== 'MINUTE' || one.amount === 0)) ?? [],
    [data],
  );
  return useCallback(
    (tokenId) => {
      const lines = usedUp
        .filter(({ level, subjectId }) => level === 'USER' || subjectId === tokenId)
        .map((budget) =>
          [
            `${t(budget.level === 'USER' ? 'budgets.ofUser' : 'budgets.ofKey')}: ${titleOf(budget)}`,
            ...(budget.models.length > 0 ? [t('budgets.onlyModels', { models: budget.models.join(', ') })] : []),
            resetOf(budget),
          ].join(' · '),
        );
      return lines.length === 0 ? null : lines.join('\n');
    },
    [usedUp, t, titleOf, resetOf],
  );
}
