import { useTranslation } from 'react-i18next';
import { ToneChip } from './Tone.js';

const statuses = {
  ENABLED: { tone: 'green', label: 'fields.enabled' },
  DISABLED: { tone: 'grey', label: 'fields.disabled' },
  EXPIRED: { tone: 'amber', label: 'tokens.expired' },
  EXHAUSTED: { tone: 'red', label: 'tokens.exhausted' },
} as const;

export function TokenStatusChip({ status }: { readonly status: keyof typeof statuses }) {
  const { t } = useTranslation();
  const { tone, label } = statuses[status];
  return (
    <ToneChip tone={tone} dot>
      {t(label)}
    </ToneChip>
  );
}
