import { useTranslation } from 'react-i18next';
import { ToneChip } from '../../components/Tone.js';
import { lossText, type Loss } from '../../nouns/prices/belowCost.js';

/** Marks a channel that serves models for less than they cost. Its hint has the first of them. */
export function ChannelLossChip({ losses }: { readonly losses: readonly Loss[] | undefined }) {
  const { t } = useTranslation();
  const [first] = losses ?? [];
  if (!losses || !first) return null;
  const rest = losses.length - 1;
  return (
    <ToneChip tone="red" hint={`${lossText(first, t)}${rest > 0 ? `. ${t('belowCost.more', { n: rest })}` : ''}`}>
      {t('belowCost.chip')}
    </ToneChip>
  );
}
