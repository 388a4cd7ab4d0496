import { ContentDialog } from '../../components/ContentDialog.js';
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
  return (
    <ContentDialog title={title} onClose={onClose}>
      <BudgetList subject={subject} />
    </ContentDialog>
  );
}
