import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../../lib/status.js';
import { RowMenu } from '../../components/RowMenu.js';
import { BudgetDialog } from './BudgetDialog.js';
import { newBudget, toTokenBudget, type BudgetValues } from './budgetForm.js';
import { useBudgetTitle } from './BudgetRow.js';
import { listText } from '../../lib/format.js';

/** Maximum number of budgets of one key that the server accepts. */
const maxBudgets = 20;

/** Budgets of a key that does not exist yet: a part of its form, created when the form is saved. */
export function DraftBudgets({
  budgets,
  onChange,
}: {
  readonly budgets: readonly BudgetValues[];
  readonly onChange: (budgets: BudgetValues[]) => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const titleOf = useBudgetTitle();
  /** The index of the budget in the dialog; that after the last one adds another. */
  const [edited, setEdited] = useState<number | null>(null);
  const isNew = edited === budgets.length;
  return (
    <Box>
      {budgets.length === 0 && <Box sx={{ fontSize: 13, color: 'text.secondary', pb: 1 }}>{t('budgets.none')}</Box>}
      {budgets.length > 0 && (
        <Box component="ul" aria-label={t('budgets.title')} sx={{ listStyle: 'none', m: 0, mb: 1, p: 0 }}>
          {budgets.map((budget, at) => {
            const title = titleOf(toTokenBudget(budget, quotaPerUnit));
            return (
              <Box
                component="li"
                key={at}
                sx={{
                  display: 'flex',
                  alignItems: 'center',
                  gap: 1,
                  minWidth: 0,
                  py: 1,
                  borderTop: '1px solid',
                  borderColor: 'divider',
                }}
              >
                <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                  <Box className="num" sx={{ fontWeight: 500 }}>
                    {title}
                  </Box>
                  {budget.budgetModels.length > 0 && (
                    <Box sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary' }}>
                      {t('budgets.onlyModels', { models: listText(budget.budgetModels) })}
                    </Box>
                  )}
                </Box>
                <RowMenu
                  label={t('budgets.moreOf', { name: title })}
                  actions={[
                    { label: t('actions.edit'), onSelect: () => setEdited(at) },
                    {
                      label: t('actions.delete'),
                      destructive: true,
                      onSelect: () => onChange(budgets.filter((_, index) => index !== at)),
                    },
                  ]}
                />
              </Box>
            );
          })}
        </Box>
      )}
      <Button
        variant="outlined"
        size="small"
        startIcon={<AddOutlinedIcon />}
        disabled={budgets.length >= maxBudgets}
        onClick={() => setEdited(budgets.length)}
      >
        {t('budgets.add')}
      </Button>
      {edited !== null && (
        <BudgetDialog
          level="TOKEN"
          values={budgets[edited] ?? newBudget()}
          title={t(isNew ? 'budgets.add' : 'budgets.edit')}
          submitLabel={t(isNew ? 'budgets.add' : 'budgets.save')}
          onSubmit={(values) =>
            onChange(isNew ? [...budgets, values] : budgets.map((one, at) => (at === edited ? values : one)))
          }
          onClose={() => setEdited(null)}
        />
      )}
    </Box>
  );
}
