import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { BudgetList } from '../../nouns/budgets/BudgetList.js';
import { Panel } from './Panel.js';

/** Budgets of the user's account, which admins set, and of the user's tokens. */
export function BudgetTab({ userId }: { readonly userId: number }) {
  const { t } = useTranslation();
  return (
    <Panel title={t('budgets.title')}>
      <Box sx={{ fontSize: 13, color: 'text.secondary', pb: 1.5 }}>{t('budgets.ownText')}</Box>
      <BudgetList owner={userId} />
    </Panel>
  );
}
