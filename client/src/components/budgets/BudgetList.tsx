import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { integer } from '../../lib/format.js';
import { useIsAdmin } from '../../lib/session.js';
import type { RowAction } from '../ActionMenu.js';
import { LoadFailure } from '../LoadFailure.js';
import { useAction } from '../useAction.js';
import { BudgetDialog } from './BudgetDialog.js';
import type { BudgetSubject } from './budgetForm.js';
import { BudgetRow, useBudgetTitle } from './BudgetRow.js';
import {
  BudgetsDocument,
  DeleteBudgetDocument,
  UpdateBudgetDocument,
  type BudgetLineFragment,
} from './budgets.generated.js';

/**
 * Budgets of one subject with their use, and a button that adds one. Changes apply at once, without the form around.
 * A subject without its id or group lists those of the whole level, with names and without that button.
 */
export function BudgetList({ subject }: { readonly subject: BudgetSubject }) {
  const { t } = useTranslation();
  const act = useAction();
  const isByAdmin = useIsAdmin();
  const titleOf = useBudgetTitle();
  const { level, subjectId, group } = subject;
  const { data, error, refetch } = useQuery(BudgetsDocument, {
    variables: { filter: { level, subjectId: subjectId ?? null, group: group ?? null } },
    fetchPolicy: 'network-only',
  });
  const [update] = useMutation(UpdateBudgetDocument);
  const [remove] = useMutation(DeleteBudgetDocument);
  const [edited, setEdited] = useState<BudgetLineFragment | 'new' | null>(null);
  const isWhole = level !== 'SITE' && subjectId === undefined && group === undefined;
  const canAdd = !isWhole && (isByAdmin || level === 'TOKEN');

  const actionsOf = (budget: BudgetLineFragment): RowAction[] => {
    if (!isByAdmin && (budget.level !== 'TOKEN' || budget.byAdmin)) return [];
    return [
      { label: t('actions.edit'), onSelect: () => setEdited(budget) },
      {
        label: t(budget.enabled ? 'budgets.turnOff' : 'budgets.turnOn'),
        onSelect: () =>
          void act(async () => {
            await update({ variables: { input: { id: budget.id, enabled: !budget.enabled } } });
          }),
      },
      {
        label: t('actions.delete'),
        destructive: true,
        onSelect: () =>
          void act(
            async () => {
              await remove({ variables: { id: budget.id } });
              await refetch();
              return t('budgets.deleted');
            },
            {
              title: t('budgets.deleteTitle', { name: titleOf(budget) }),
              body: t('budgets.deleteBody'),
              verb: t('actions.delete'),
              destructive: true,
            },
          ),
      },
    ];
  };

  if (error && !data) {
    return <LoadFailure title={t('budgets.loadFailed')} error={error} onRetry={() => void refetch()} />;
  }
  const items = data?.budgets.items;
  return (
    <Box>
      {items?.length === 0 && <Box sx={{ fontSize: 13, color: 'text.secondary', pb: 1 }}>{t('budgets.none')}</Box>}
      {items && items.length > 0 && (
        <Box component="ul" aria-label={t('budgets.title')} sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {items.map((budget) => (
            <BudgetRow key={budget.id} budget={budget} named={isWhole} actions={actionsOf(budget)} />
          ))}
        </Box>
      )}
      {data && data.budgets.totalCount > data.budgets.items.length && (
        <Box sx={{ fontSize: 12, color: 'text.secondary', pb: 1 }}>
          {t('budgets.shown', { shown: integer(data.budgets.items.length), total: integer(data.budgets.totalCount) })}
        </Box>
      )}
      {canAdd && (
        <Button
          variant="outlined"
          size="small"
          startIcon={<AddOutlinedIcon />}
          disabled={!items}
          onClick={() => setEdited('new')}
        >
          {t('budgets.add')}
        </Button>
      )}
      {edited !== null && (
        <BudgetDialog
          subject={subject}
          budget={edited === 'new' ? null : edited}
          onSaved={refetch}
          onClose={() => setEdited(null)}
        />
      )}
    </Box>
  );
}
