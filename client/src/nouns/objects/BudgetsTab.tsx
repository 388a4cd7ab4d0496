import Card from '@mui/material/Card';
import type { BudgetSubject } from '../budgets/budgetForm.js';
import { BudgetList } from '../budgets/BudgetList.js';

/** The budgets of an object. */
export function BudgetsTab({
  subject,
  onChanged,
}: {
  readonly subject: BudgetSubject;
  readonly onChanged?: (() => void) | undefined;
}) {
  return (
    <Card sx={{ padding: '16px' }}>
      <BudgetList subject={subject} onChanged={onChanged} />
    </Card>
  );
}
