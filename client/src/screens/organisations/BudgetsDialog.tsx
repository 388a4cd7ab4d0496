import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useTranslation } from 'react-i18next';
import type { BudgetSubject } from '../../nouns/budgets/budgetForm.js';
import { BudgetList } from '../../nouns/budgets/BudgetList.js';

/** The budgets of a member or a project. */
export function BudgetsDialog({
  title,
  subject,
  onClose,
}: {
  readonly title: string;
  readonly subject: BudgetSubject;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Dialog open onClose={onClose} maxWidth="sm" fullWidth>
      <DialogTitle>{title}</DialogTitle>
      <DialogContent>
        <BudgetList subject={subject} />
      </DialogContent>
      <DialogActions>
        <Button variant="outlined" onClick={onClose}>
          {t('actions.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
