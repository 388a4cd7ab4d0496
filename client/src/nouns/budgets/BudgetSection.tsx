import { useTranslation } from 'react-i18next';
import { DrawerSection } from '../../components/SideDrawer.js';
import type { BudgetSubject } from './budgetForm.js';
import { BudgetList } from './BudgetList.js';

/** The budgets of a key, user or channel in its editor. */
export function BudgetSection({
  subject,
  onChanged,
}: {
  readonly subject: BudgetSubject;
  readonly onChanged?: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  return (
    <DrawerSection title={t('budgets.title')} explanation={t(`budgets.texts.${subject.level}`)}>
      <BudgetList subject={subject} onChanged={onChanged} />
    </DrawerSection>
  );
}
