import { useTranslation } from 'react-i18next';
import { type Tone, ToneChip } from '../../components/Tone.js';
import type { PlanSubscriptionsQuery } from './subscriptions.generated.js';

type State = PlanSubscriptionsQuery['planSubscriptions']['items'][number]['state'];

const tones: Readonly<Record<State, Tone>> = { ACTIVE: 'green', ENDED: 'grey', UPGRADED: 'blue', REFUNDED: 'amber' };

export function SubscriptionStateChip({ state }: { readonly state: State }) {
  const { t } = useTranslation();
  return <ToneChip tone={tones[state]}>{t(`plans.states.${state}`)}</ToneChip>;
}
