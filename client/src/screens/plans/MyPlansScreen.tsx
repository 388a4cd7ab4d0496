import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import Typography from '@mui/material/Typography';
import LocalActivityOutlinedIcon from '@mui/icons-material/LocalActivityOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Num } from '../../components/Text.js';
import { useAction } from '../../components/useAction.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { ToneChip } from '../../components/Tone.js';
import { dateTime } from '../../lib/format.js';
import { useFormat } from '../../lib/useFormat.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { methodName } from '../../nouns/payments/methodName.js';
import { openCheckout } from '../../nouns/payments/openCheckout.js';
import { PlanCard, planGrid, PlanSkeletons } from './PlanCard.js';
import {
  BuyPlanDocument,
  MyPlansDocument,
  type MyPlansQuery,
  type PlanFactsFragment,
  PlanUpgradeDocument,
  StartPlanPaymentDocument,
  type SubscriptionFactsFragment,
  UpgradePlanDocument,
} from './plans.generated.js';
import { usePlanTexts } from './usePlanTexts.js';
import { Renewal, type RenewalProblem, StopCharges } from './Renewal.js';
import { SubscriptionStateChip } from '../../nouns/plans/SubscriptionStateChip.js';
import { WindowBars } from './WindowBars.js';

/** The plans of the user: those that run, those on sale, and past ones. */
export function MyPlansScreen() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { data, error, refetch } = useQuery(MyPlansDocument, { fetchPolicy: 'network-only' });
  useFailureToast(error, data !== undefined, 'errors.refreshFailed');
  const running = data?.myPlans.filter(({ state }) => state === 'ACTIVE') ?? [];
  const past = data?.myPlans.filter(({ state }) => state !== 'ACTIVE') ?? [];
  const plans = data?.plans.filter(({ onSale }) => onSale) ?? [];
  const methods = data?.paymentMethods.filter(({ isOffered }) => isOffered) ?? [];
  const isEmpty = data !== undefined && plans.length + data.myPlans.length === 0;
  return (
    <Box sx={{ padding: { xs: 2, sm: 3 }, maxWidth: 1088, mx: 'auto', display: 'grid', gap: 3 }}>
      <title>{t('shell.myPlans')}</title>
      <Typography variant="h1">{t('shell.myPlans')}</Typography>
      {data?.me && (
        <Box sx={{ color: 'text.secondary' }}>
          {t('fields.balance')} <Num strong>{money(data.me.quota, 'balance')}</Num>
        </Box>
      )}
      {error && !data && <LoadFailure title={t('plans.loadFailed')} error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PlanSkeletons />}
      {isEmpty && (
        <EmptyState icon={<LocalActivityOutlinedIcon />} title={t('plans.noneTitle')} text={t('plans.noneText')} />
      )}
      {running.length > 0 && (
        <Section title={t('plans.running')}>
          <Box sx={planGrid}>
            {running.map((subscription) => (
              <Running key={subscription.id} subscription={subscription} />
            ))}
          </Box>
        </Section>
      )}
      {plans.length > 0 && (
        <Section title={t('plans.onSale')}>
          <Box sx={planGrid}>
            {plans.map((plan) => (
              <Offer
                key={plan.id}
                plan={plan}
                running={running}
                methods={methods}
                balance={data?.me?.quota ?? 0}
                onBought={() => void refetch()}
              />
            ))}
          </Box>
        </Section>
      )}
      {past.length > 0 && (
        <Section title={t('plans.history')}>
          <Card component="ul" sx={{ m: 0, padding: '4px 16px', listStyle: 'none' }}>
            {past.map((subscription) => (
              <Past key={subscription.id} subscription={subscription} />
            ))}
          </Card>
        </Section>
      )}
    </Box>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <Box component="section" aria-label={title} sx={{ display: 'grid', gap: 1.5, minWidth: 0 }}>
      <Typography variant="h2" sx={{ fontSize: 14 }}>
        {title}
      </Typography>
      {children}
    </Box>
  );
}

function Running({ subscription }: { readonly subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const { terms, endsAt, windows, renews } = subscription;
  return (
    <Card component="article" aria-label={terms.name} sx={{ padding: 2, display: 'grid', gap: 1.5, minWidth: 0 }}>
      <Box>
        <Typography variant="h3" sx={{ fontSize: 15, fontWeight: 600, overflowWrap: 'anywhere' }}>
          {terms.name}
        </Typography>
        <Box className="num" sx={{ fontSize: 13, color: 'text.secondary' }}>
          {t(renews ? 'plans.renewsAt' : 'plans.endsAt', { time: dateTime(endsAt) })}
        </Box>
      </Box>
      <WindowBars windows={windows} />
      <Renewal subscription={subscription} />
    </Card>
  );
}

function Offer({
  plan,
  running,
  methods,
  balance,
  onBought,
}: {
  readonly plan: PlanFactsFragment;
  readonly running: readonly SubscriptionFactsFragment[];
  /** The ways to pay online that are offered. */
  readonly methods: MyPlansQuery['paymentMethods'];
  /** Quota of the account. */
  readonly balance: number;
  readonly onBought: () => void;
}) {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const act = useAction();
  const texts = usePlanTexts();
  const client = useApolloClient();
  const keyOf = useIdempotencyKey();
  const [buy] = useMutation(BuyPlanDocument);
  const [upgrade] = useMutation(UpgradePlanDocument);
  const [pay] = useMutation(StartPlanPaymentDocument);
  const [renews, setRenews] = useState(false);
  const canRenewByCard = plan.price > 0 && methods.some(({ savesCards }) => savesCards);
  const isRunning = running.some(({ planId }) => planId === plan.id);
  const smaller = running.filter(({ planId, terms }) => planId !== plan.id && terms.price < plan.price);
  const buyNow = () =>
    act(
      async () => {
        const input = { planId: plan.id, renews };
        await buy({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
        onBought();
        return t('plans.bought', { name: plan.name });
      },
      {
        title: t('plans.buyTitle', { name: plan.name }),
        body: t('plans.buyBody', { price: money(plan.price, 'balance') }),
        verb: t('plans.buy'),
      },
    );
  const payWith = ({ method, savesCards }: MyPlansQuery['paymentMethods'][number]) =>
    act(async () => {
      const input = { planId: plan.id, method, ...(renews && savesCards && { renews }) };
      const { data } = await pay({ variables: { input: { ...input, idempotencyKey: keyOf(input) } } });
      const form = data?.startPlanPayment?.form;
      if (form) openCheckout(form.url, form.fields);
    });
  const upgradeFrom = async (old: SubscriptionFactsFragment) => {
    const variables = { subscriptionId: old.id, planId: plan.id };
    const { data } = await client.query({ query: PlanUpgradeDocument, variables, fetchPolicy: 'network-only' });
    const receipt = data?.planUpgrade;
    if (!receipt) return;
    await act(
      async () => {
        await upgrade({ variables: { input: { ...variables, idempotencyKey: keyOf(variables) } } });
        onBought();
        return t('plans.bought', { name: plan.name });
      },
      {
        title: t('plans.upgradeTitle', { name: plan.name }),
        body: t('plans.upgradeBody', {
          price: money(receipt.price - receipt.credit, 'balance'),
          old: old.terms.name,
          credit: money(receipt.credit, 'balance'),
          computation: texts.credit(receipt),
        }),
        verb: t('plans.upgrade'),
      },
    );
  };
  return (
    <PlanCard plan={plan} chips={isRunning && <ToneChip tone="green">{t('plans.running')}</ToneChip>}>
      {!isRunning && (
        <>
          <FormControlLabel
            sx={{ m: 0, gap: 1 }}
            control={<Switch checked={renews} onChange={(_, checked) => setRenews(checked)} />}
            label={t(canRenewByCard ? 'plans.renewsEither' : 'plans.renews')}
          />
          {balance < plan.price && (
            <Box sx={{ fontSize: 12, color: 'text.secondary' }}>
              {t('plans.balanceTooLow', { balance: money(balance, 'balance') })}
            </Box>
          )}
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
            {balance >= plan.price ? (
              <Button variant="contained" onClick={() => void buyNow()}>
                {t('plans.buy')}
              </Button>
            ) : (
              <Button variant="contained" component={Link} to="/topup">
                {t('plans.topUp')}
              </Button>
            )}
            {plan.price > 0 &&
              methods.map((one) => (
                <Button key={one.method} variant="outlined" onClick={() => void payWith(one)}>
                  {t('plans.payWith', { name: methodName(one, i18n.language) })}
                </Button>
              ))}
            {smaller.map((old) => (
              <Button key={old.id} variant="outlined" onClick={() => void act(() => upgradeFrom(old))}>
                {t('plans.upgradeFrom', { name: old.terms.name })}
              </Button>
            ))}
          </Box>
        </>
      )}
    </PlanCard>
  );
}

function Past({ subscription }: { readonly subscription: SubscriptionFactsFragment }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const { terms, startsAt, endsAt, paid, refunded, used, renewalProblem, receipt } = subscription;
  const computation = usePlanTexts().credit(receipt);
  const problem = renewalProblem as RenewalProblem | '';
  return (
    <Box
      component="li"
      sx={{ py: 1.25, '& + &': { borderTop: '1px solid', borderColor: 'divider' }, display: 'grid', gap: '2px' }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '4px 8px' }}>
        <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>{terms.name}</Box>
        <SubscriptionStateChip state={subscription.state} />
        <Box sx={{ ml: 'auto' }}>
          <Num>{money(paid - refunded, 'balance')}</Num>
        </Box>
      </Box>
      <Box className="num" sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary', overflowWrap: 'anywhere' }}>
        {t('plans.fromTo', { start: dateTime(startsAt), end: dateTime(endsAt) })}
        {' · '}
        {t('budgets.used', { amount: money(used, 'amount') })}
        {computation !== '' && <Box>{computation}</Box>}
        {problem !== '' && <Box>{t(`plans.problems.${problem}`)}</Box>}
        {problem === 'CARD_DECLINED' && subscription.renews && <StopCharges id={subscription.id} />}
      </Box>
    </Box>
  );
}
