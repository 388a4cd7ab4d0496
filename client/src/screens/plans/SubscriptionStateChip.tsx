import { useTranslation } from 'react-i18next';
import { type Tone, ToneChip } from '../../components/Tone.js';
import type { SubscriptionFactsFragment } from './plans.generated.js';

type State = SubscriptionFactsFragment['state'];

const tones: Readonly<Record<State, Tone>> = { ACTIVE: 'green', ENDED: 'grey', UPGRADED: 'blue', REFUNDED: 'amber' };

export function SubscriptionStateChip({ state }: { readonly state: State }) {
  const { t } = useTranslation();
  return <ToneChip tone={tones[state]}>{t(`plans.states.${state}`)}</ToneChip>;
}
