import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Card from '@mui/material/Card';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import LocalActivityOutlinedIcon from '@mui/icons-material/LocalActivityOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { ListScreen } from '../../components/ListScreen.js';
import { LoadFailure } from '../../components/LoadFailure.js';
import { Notice } from '../../components/Notice.js';
import { RowMenu } from '../../components/RowMenu.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { useMay } from '../../lib/permissions.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { GivePlanDialog } from '../../nouns/plans/GivePlanDialog.js';
import { settingAddress } from '../../nouns/settings/settingsByKey.js';
import { cardPayments } from '../../nouns/settings/settingsCatalog.js';
import { PlanCard, planGrid, PlanSkeletons } from './PlanCard.js';
import { PlanEditor } from './PlanEditor.js';
import { DeletePlanDocument, PlansDocument, type PlanFactsFragment, UpdatePlanDocument } from './plans.generated.js';
import { PlanSubscriptionsDocument } from '../../nouns/plans/subscriptions.generated.js';
import { SubscriptionList } from '../../nouns/plans/SubscriptionList.js';

/** The plans that the site sells, and the subscriptions to them. */
export function PlanListScreen() {
  const { t } = useTranslation();
  const [opened, setOpened] = useRowParam('row');
  const { data, error, refetch } = useQuery(PlansDocument, { fetchPolicy: 'network-only' });
  useFailureToast(error, data !== undefined, 'errors.refreshFailed');
  const readsSubscriptions = useMay('PAYMENTS');
  const mayGrant = useMay('USERS_QUOTA');
  const [given, setGiven] = useState<PlanFactsFragment | null>(null);
  const client = useApolloClient();
  const reload = () => void refetch();
  const soldMore = () => {
    if (readsSubscriptions) void client.refetchQueries({ include: [PlanSubscriptionsDocument] });
  };
  const mayOfferPayment = useMay('PAYMENTS_SETTINGS');
  const isPaidOnline = data?.paymentMethods.some(({ isOffered }) => isOffered);
  const edited = data?.plans.find(({ id }) => String(id) === opened);
  const isEmpty = data?.plans.length === 0;
  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setOpened('new')}>
      {t('plans.create')}
    </Button>
  );
  return (
    <ListScreen title={t('shell.plans')} primary={!isEmpty && add}>
      {error && !data && <LoadFailure title={t('plans.loadFailed')} error={error} onRetry={reload} />}
      {!data && !error && <PlanSkeletons />}
      {mayOfferPayment && isPaidOnline === false && !isEmpty && (
        <Notice
          tone="blue"
          action={
            <Button component={Link} to={settingAddress(cardPayments)} sx={{ flexShrink: 0 }}>
              {t('plans.offerPayment')}
            </Button>
          }
        >
          {t('plans.balanceOnly')}
        </Notice>
      )}
      {isEmpty && (
        <Card>
          <EmptyState
            icon={<LocalActivityOutlinedIcon />}
            title={t('plans.emptyTitle')}
            text={t('plans.emptyText')}
            action={add}
          />
        </Card>
      )}
      <Box sx={planGrid}>
        {data?.plans.map((plan) => (
          <SoldPlan
            key={plan.id}
            plan={plan}
            onEdit={() => setOpened(String(plan.id))}
            onGive={mayGrant ? () => setGiven(plan) : null}
            onChanged={reload}
          />
        ))}
      </Box>
      {readsSubscriptions && data && <SubscriptionList plans={data.plans} isAllowedToChange={mayGrant} />}
      {(opened === 'new' || edited) && (
        <PlanEditor key={opened} plan={edited ?? null} onSaved={reload} onClosed={() => setOpened(null)} />
      )}
      {given && <GivePlanDialog plan={given} onDone={soldMore} onClose={() => setGiven(null)} />}
    </ListScreen>
  );
}

function SoldPlan({
  plan,
  onEdit,
  onGive,
  onChanged,
}: {
  readonly plan: PlanFactsFragment;
  readonly onEdit: () => void;
  /** Null: the viewer may not give plans. */
  readonly onGive: (() => void) | null;
  readonly onChanged: () => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const [update] = useMutation(UpdatePlanDocument);
  const [remove] = useMutation(DeletePlanDocument);
  const { id, name, onSale } = plan;
  const actions = [
    { label: t('plans.edit'), onSelect: onEdit },
    ...(onGive ? [{ label: t('plans.give'), onSelect: onGive }] : []),
    {
      label: t(onSale ? 'plans.takeOff' : 'plans.putOn'),
      onSelect: () =>
        void act(async () => {
          await update({ variables: { input: { id, onSale: !onSale } } });
          onChanged();
        }),
    },
    {
      label: t('actions.delete'),
      destructive: true,
      onSelect: () =>
        void act(
          async () => {
            await remove({ variables: { id } });
            onChanged();
            return t('plans.deleted');
          },
          { title: t('plans.deleteTitle', { name }), body: t('plans.deleteBody') },
        ),
    },
  ];
  return (
    <PlanCard
      plan={plan}
      chips={
        onSale ? (
          <ToneChip tone="green">{t('plans.sold')}</ToneChip>
        ) : (
          <ToneChip tone="grey">{t('plans.notSold')}</ToneChip>
        )
      }
      menu={<RowMenu label={t('budgets.moreOf', { name })} actions={actions} />}
    />
  );
}
