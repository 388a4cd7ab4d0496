import { useTranslation } from 'react-i18next';
import type { BudgetLineFragment } from '../budgets/budgets.generated.js';
import { useUsedUpText } from '../budgets/useUsedUpText.js';
import { ToneChip } from '../../components/Tone.js';

const statuses = {
  ENABLED: { tone: 'green', label: 'fields.enabled' },
  DISABLED: { tone: 'grey', label: 'fields.disabled' },
  EXPIRED: { tone: 'amber', label: 'tokens.expired' },
  EXHAUSTED: { tone: 'red', label: 'tokens.exhausted' },
} as const;

/** The status of a key, and whether its owner or a budget keeps it from working. */
export function TokenStatusChip({
  token: { status, usedUpBudgets },
  isOwnerBanned = false,
}: {
  readonly isOwnerBanned?: boolean;
  readonly token: {
    readonly status: keyof typeof statuses;
    readonly usedUpBudgets?: readonly BudgetLineFragment[] | null | undefined;
  };
}) {
  const { t } = useTranslation();
  const usedUp = useUsedUpText()(usedUpBudgets);
  if (status === 'ENABLED' && isOwnerBanned) {
    return (
      <ToneChip tone="red" dot>
        {t('tokens.ownerBanned')}
      </ToneChip>
    );
  }
  if (status === 'ENABLED' && usedUp !== null) {
    return (
      <ToneChip tone="red" dot hint={<span style={{ whiteSpace: 'pre-line' }}>{usedUp}</span>}>
        {t('budgets.usedUp')}
      </ToneChip>
    );
  }
  const { tone, label } = statuses[status];
  return (
    <ToneChip tone={tone} dot>
      {t(label)}
    </ToneChip>
  );
}
