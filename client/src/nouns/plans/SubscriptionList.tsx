import { useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import LocalActivityOutlinedIcon from '@mui/icons-material/LocalActivityOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { FormDialog } from '../../components/FormDialog.js';
import { NumberInput, TextInput } from '../../components/form/inputs.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { MayLink } from '../../components/MayLink.js';
import { RowMenu } from '../../components/RowMenu.js';
import { Dash, Ellipsis, Num, TwoLines } from '../../components/Text.js';
import { toast } from '../../components/toast.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { dateTime } from '../../lib/format.js';
import { idPattern, listVariablesOf } from '../../lib/gridState.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { useStatus } from '../../lib/status.js';
import { useFormat } from '../../lib/useFormat.js';
import { isBudgetAmount } from '../budgets/budgetForm.js';
import { userAddress } from '../objects/addresses.js';
import { SubscriptionStateChip } from './SubscriptionStateChip.js';
import {
  type PlanSubscriptionFilter,
  PlanSubscriptionsDocument,
  type PlanSubscriptionsQuery,
  RefundPlanDocument,
  StopPlanRenewalDocument,
} from './subscriptions.generated.js';

type Row = PlanSubscriptionsQuery['planSubscriptions']['items'][number];

const states = ['ACTIVE', 'ENDED', 'UPGRADED', 'REFUNDED'] as const satisfies Row['state'][];
const noFilters = { state: '', plan: '', user: '' };
const patterns = { state: new RegExp(`^(${states.join('|')})$`), plan: idPattern, user: idPattern };

const toFilter = ({ state, plan, user }: Readonly<typeof noFilters>): PlanSubscriptionFilter => ({
  ...(state ? { state: state as Row['state'] } : {}),
  ...(plan ? { planId: Number(plan) } : {}),
  ...(user ? { accountId: Number(user) } : {}),
});

/** The subscriptions of all users, or of one, newest first. */
export function SubscriptionList({
  plans = [],
  accountId = null,
  isAllowedToChange,
}: {
  /** The plans of the filter. Empty: there is no such filter. */
  readonly plans?: readonly { readonly id: number; readonly name: string }[];
  /** Null: the list has the subscriptions of all users, and a filter by user. */
  readonly accountId?: number | null;
  readonly isAllowedToChange: boolean;
}) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const act = useAction();
  const [stopRenewal] = useMutation(StopPlanRenewalDocument);
  const [refunded, setRefunded] = useState<Row | null>(null);
  const grid = useServerGrid({ filters: noFilters, patterns });
  const filter = useMemo(
    () => ({ ...toFilter(grid.filter), ...(accountId === null ? {} : { accountId }) }),
    [grid.filter, accountId],
  );
  const { reload, listProps } = useListPage(
    grid,
    PlanSubscriptionsDocument,
    { ...listVariablesOf<never>(grid), filter },
    ({ planSubscriptions }) => planSubscriptions,
    { fetchPolicy: 'network-only' },
  );
  const menuOf = useCallback(
    (row: Row) => {
      if (!isAllowedToChange || row.state === 'REFUNDED' || row.state === 'UPGRADED') return null;
      const stop = () =>
        void act(
          async () => {
            await stopRenewal({ variables: { input: { id: row.id } } });
            return t('plans.renewalStopped');
          },
          {
            title: t('plans.stopRenewalTitle', { name: row.terms.name }),
            body: t('plans.stopRenewalBody', { name: row.terms.name, user: row.username }),
            verb: t('plans.stopRenewal'),
          },
        );
      return (
        <RowMenu
          label={t('budgets.moreOf', { name: `${row.username} ${row.terms.name}` })}
          actions={[
            ...(isRenewed(row) ? [{ label: t('plans.stopRenewal'), onSelect: stop }] : []),
            { label: t('plans.refund'), destructive: true, onSelect: () => setRefunded(row) },
          ]}
        />
      );
    },
    [isAllowedToChange, act, stopRenewal, t],
  );
  const columns = useMemo(
    () => subscriptionColumns(t, money, menuOf).filter(({ field }) => accountId === null || field !== 'user'),
    [t, money, menuOf, accountId],
  );
  return (
    <Box
      component="section"
      aria-label={t('plans.subscriptions')}
      sx={{ display: 'grid', gap: 1.5, mt: 2, minWidth: 0 }}
    >
      <Typography variant="h2">{t('plans.subscriptions')}</Typography>
      <FilterBar
        filters={grid.filters}
        fields={[
          ...(accountId === null ? [{ name: 'user', label: t('payments.userId'), typed: 'digits' } as const] : []),
          ...(plans.length > 0
            ? [
                {
                  name: 'plan',
                  label: t('plans.ofCode'),
                  choices: plans.map(({ id, name }) => ({ value: String(id), label: name })),
                } as const,
              ]
            : []),
          {
            name: 'state',
            label: t('fields.status'),
            choices: states.map((value) => ({ value, label: t(`plans.states.${value}`) })),
          },
        ]}
      />
      <ListGrid
        label={t('plans.subscriptions')}
        columnsKey="subscriptions-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        renderCard={(row) => (
          <RowCard
            title={accountId === null ? <Account row={row} /> : row.terms.name}
            value={<Num strong>{money(row.paid - row.refunded, 'balance')}</Num>}
            meta={t('plans.fromTo', { start: dateTime(row.startsAt), end: dateTime(row.endsAt) })}
            wrapsMeta
            chips={
              <>
                {accountId === null && <span>{row.terms.name}</span>}
                <SubscriptionStateChip state={row.state} />
                {isRenewed(row) && <ToneChip tone="outline">{t('plans.isRenewed')}</ToneChip>}
              </>
            }
            end={menuOf(row)}
          />
        )}
        empty={
          <EmptyState
            icon={<LocalActivityOutlinedIcon />}
            title={t('plans.unsoldTitle')}
            text={t('plans.unsoldText')}
          />
        }
      />
      {refunded && <RefundDialog row={refunded} onDone={reload} onClose={() => setRefunded(null)} />}
    </Box>
  );
}

/** Whether a subscription is renewed when it ends, or its declined card is charged again. */
const isRenewed = ({ renews, state, renewalProblem }: Row): boolean =>
  renews && (state === 'ACTIVE' || (state === 'ENDED' && renewalProblem === 'CARD_DECLINED'));

/** A user who was deleted has neither a name nor a page. */
function Account({ row: { username, accountId } }: { readonly row: Row }) {
  const { t } = useTranslation();
  if (username === '') return <Ellipsis>{t('plans.deletedUser', { id: accountId })}</Ellipsis>;
  return (
    <MayLink permission="USERS_READ" to={userAddress(accountId)} className="ellipsis">
      {username}
    </MayLink>
  );
}

function subscriptionColumns(
  t: TFunction,
  money: ReturnType<typeof useFormat>['money'],
  menuOf: (row: Row) => ReactNode,
): GridColDef<Row>[] {
  return [
    column('user', t('logs.user'), { flex: 1, minWidth: 130 }, (row) => <Account row={row} />),
    column('plan', t('plans.ofCode'), 140, (row) => <TwoLines title={row.terms.name}>{row.terms.name}</TwoLines>),
    column('state', t('fields.status'), 120, (row) => <SubscriptionStateChip state={row.state} />),
    column('renews', t('plans.renewal'), 110, (row) =>
      isRenewed(row) ? <Ellipsis>{t('plans.isRenewed')}</Ellipsis> : <Dash />,
    ),
    column('origin', t('plans.origin'), 120, (row) => (
      <TwoLines title={row.note}>{t(`plans.origins.${row.origin}`)}</TwoLines>
    )),
    column('startsAt', t('plans.start'), 140, (row) => <Num>{dateTime(row.startsAt)}</Num>),
    column('endsAt', t('plans.end'), 140, (row) => <Num>{dateTime(row.endsAt)}</Num>),
    rightColumn('used', t('plans.usedAmount'), 100, (row) => <Num>{money(row.used, 'amount')}</Num>),
    rightColumn('paid', t('plans.paid'), 100, (row) => <Num strong>{money(row.paid - row.refunded, 'balance')}</Num>),
    column('actions', '', 48, (row) => menuOf(row)),
  ];
}

function RefundDialog({
  row,
  onDone,
  onClose,
}: {
  readonly row: Row;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useStatus();
  const [refund] = useMutation(RefundPlanDocument);
  const whole = String(Number((row.paid / quotaPerUnit).toFixed(6)));
  const form = useForm({ mode: 'onTouched', defaultValues: { amount: whole, note: '' } });
  return (
    <FormDialog
      form={form}
      title={t('plans.refundTitle', { name: row.terms.name, user: row.username })}
      submitLabel={t('plans.refund')}
      destructive
      errorField="amount"
      onClose={onClose}
      onSubmit={async ({ amount, note }) => {
        // Without an amount all is refunded to the unit, whatever the dollars were rounded to.
        const input = {
          id: row.id,
          note,
          ...(amount === whole ? {} : { amount: Math.round(Number(amount) * quotaPerUnit) }),
        };
        await refund({ variables: { input } });
        toast.success(t('plans.refundDone'));
        onDone();
      }}
    >
      <Box>{t('plans.refundBody')}</Box>
      <NumberInput
        control={form.control}
        name="amount"
        prefix="$"
        label={t('fields.amountUsd')}
        required
        rules={{ validate: (value) => isBudgetAmount('MONEY', value) || t('fields.amountInvalid') }}
      />
      <TextInput
        control={form.control}
        name="note"
        label={t('plans.reason')}
        maxLength={200}
        required
        rules={{ validate: (value) => value.trim() !== '' || t('plans.missing') }}
      />
    </FormDialog>
  );
}
