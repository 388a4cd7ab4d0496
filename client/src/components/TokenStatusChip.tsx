import { useTranslation } from 'react-i18next';
import { ToneChip } from './Tone.js';

const statuses = {
  ENABLED: { tone: 'green', label: 'fields.enabled' },
  DISABLED: { tone: 'grey', label: 'fields.disabled' },
  EXPIRED: { tone: 'amber', label: 'tokens.expired' },
  EXHAUSTED: { tone: 'red', label: 'tokens.exhausted' },
} as const;

/** @param usedUp describes the budgets that refuse calls with the key; null where none does */
export function TokenStatusChip({
  status,
  usedUp,
}: {
  readonly status: keyof typeof statuses;
  readonly usedUp: string | null;
}) {
  const { t } = useTranslation();
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
