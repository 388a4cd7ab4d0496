import { useQuery } from '@apollo/client/react';
import PaymentsOutlinedIcon from '@mui/icons-material/PaymentsOutlined';
import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../components/CopyButton.js';
import { EmptyState } from '../../components/EmptyState.js';
import { RowCard } from '../../components/grid/CardList.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { RangeFilter } from '../../components/grid/RangeFilter.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { MayLink } from '../../components/MayLink.js';
import { ListScreen } from '../../components/ListScreen.js';
import { StatBadges } from '../../components/StatBadges.js';
import { Dash, Ellipsis, Num } from '../../components/Text.js';
import { ToneChip, type Tone } from '../../components/Tone.js';
import { useExportActions } from '../../components/useExportActions.js';
import { dateTime, integer } from '../../lib/format.js';
import { idPattern, listVariablesOf, type SortOf } from '../../lib/gridState.js';
import { lastThirtyDays, rangeOf } from '../../lib/timeRange.js';
import { useFormat } from '../../lib/useFormat.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { useMethodName } from '../../nouns/payments/methodName.js';
import { PaymentMethodsDocument } from '../../nouns/payments/paymentMethods.generated.js';
import {
  PaidSumsDocument,
  PaymentsDocument,
  type OrderStatus,
  type PaymentMethod,
  type PaymentsQuery,
  type TopUpOrderFilter,
  type TopUpOrderSortField,
} from './payments.generated.js';
import { PaymentDetail } from './PaymentDetail.js';
import { amountOf, statusTexts } from './paymentTexts.js';

type Payment = PaymentsQuery['topUps']['items'][number];

const noFilters = { from: '', to: '', status: '', method: '', tradeNo: '', user: '' };
const patterns = { status: /^(PAID|PENDING|EXPIRED)$/, method: /^[A-Z0-9_]+$/, user: idPattern };
const statusTones: Record<OrderStatus, Tone> = { PAID: 'green', PENDING: 'amber', EXPIRED: 'grey' };

function toFilter(filter: Readonly<typeof noFilters>, start: Date): TopUpOrderFilter {
  const { from, to } = rangeOf(filter, start);
  const tradeNo = filter.tradeNo.trim();
  return {
    // An order is found by its number at any time.
    ...(tradeNo ? { tradeNo } : { created: { from: from.toISOString(), until: to?.toISOString() ?? null } }),
    ...(filter.status ? { statuses: [filter.status as OrderStatus] } : {}),
    ...(filter.method ? { methods: [filter.method as PaymentMethod] } : {}),
    ...(filter.user ? { userIds: [Number(filter.user)] } : {}),
  };
}

const statusNames: Record<OrderStatus, string> = { PAID: 'success', PENDING: 'pending', EXPIRED: 'expired' };

/** The filter as parameters of the REST export. Seconds are included on both sides. */
function exportQuery(chosen: Readonly<typeof noFilters>, { created }: TopUpOrderFilter): Record<string, string> {
  const second = (time: unknown, later = 0) =>
    typeof time === 'string' ? String(Math.floor(Date.parse(time) / 1000) + later) : '';
  return {
    start_timestamp: second(created?.from),
    end_timestamp: second(created?.until, -1),
    status: chosen.status && statusNames[chosen.status as OrderStatus],
    method: chosen.method.toLowerCase(),
    user_id: chosen.user,
    trade_no: chosen.tradeNo.trim(),
  };
}

const sorts = ['createdAt', 'money', 'quota', 'status', 'paidAt'] satisfies SortOf<TopUpOrderSortField>[];

/** Orders of all users at the payment gateway: which payment arrived. */
export function PaymentListScreen() {
  const { t } = useTranslation();
  const { money } = useFormat();
  const grid = useServerGrid({ filters: noFilters, patterns, sorts });
  const [start] = useState(lastThirtyDays);
  const filter = useMemo(() => toFilter(grid.filter, start), [grid.filter, start]);
  const [opened, setOpened] = useRowParam('row');
  const { rows, reload, listProps } = useListPage(
    grid,
    PaymentsDocument,
    { ...listVariablesOf<TopUpOrderSortField>(grid), filter },
    ({ topUps }) => topUps,
  );
  const paid = useQuery(PaidSumsDocument, { variables: { filter: { ...filter, statuses: ['PAID'] } } });
  const refresh = () => {
    reload();
    void paid.refetch();
  };
  const shown = useOpenedRow(rows, opened, PaymentsDocument, byRowId, ({ topUps }) => topUps);
  const sums = paid.data?.topUps.sums;
  const unknown = paid.error ? '–' : undefined;
  const methods = useQuery(PaymentMethodsDocument).data?.paymentMethods;
  const nameOf = useMethodName(methods);
  const columns = useMemo(() => paymentColumns(t, money, nameOf), [t, money, nameOf]);
  const exports = useExportActions({
    path: '/api/payment/export',
    parameters: () => exportQuery(grid.filter, filter),
    name: 'payments',
  });
  return (
    <ListScreen
      title={t('shell.payments')}
      range={<RangeFilter filters={grid.filters} start={start} />}
      menu={[{ label: t('actions.refresh'), onSelect: refresh }, ...exports]}
      badges={
        (grid.filter.status === '' || grid.filter.status === 'PAID') && (
          <StatBadges
            label={t('payments.received')}
            stats={[
              {
                label: t('payments.received'),
                value: sums ? sums.keptByCurrency.map(amountOf).join(' · ') || '–' : unknown,
                note: t('logs.thisRange'),
              },
              { label: t('payments.credited'), value: sums ? money(sums.quota, 'balance') : unknown },
              { label: t('payments.paidOrders'), value: sums ? integer(sums.orders) : unknown },
            ]}
          />
        )
      }
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            {
              name: 'status',
              label: t('fields.status'),
              choices: Object.entries(statusTexts).map(([value, label]) => ({ value, label: t(label) })),
            },
            {
              name: 'method',
              label: t('wallet.method'),
              choices: [...(methods ?? []).map(({ method }) => method), 'OTHER' as const].map((value) => ({
                value,
                label: nameOf(value),
              })),
            },
            { name: 'tradeNo', label: t('payments.tradeNo'), typed: 'text' },
            { name: 'user', label: t('payments.userId'), typed: 'digits' },
          ]}
        />
      }
    >
      <ListGrid
        label={t('shell.payments')}
        columnsKey="payments-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={(row) => setOpened(String(row.id))}
        renderCard={(row) => (
          <RowCard
            title={row.buyer?.username ?? `#${row.userId}`}
            value={<Num strong>{amountOf(row.money)}</Num>}
            meta={row.tradeNo}
            metaEnd={<Num>{dateTime(row.createdAt, 'card')}</Num>}
            chips={<Status order={row} />}
          />
        )}
        empty={
          <EmptyState icon={<PaymentsOutlinedIcon />} title={t('payments.emptyTitle')} text={t('payments.emptyText')} />
        }
      />
      {shown && (
        <PaymentDetail
          key={shown.id}
          order={shown}
          method={nameOf(shown.method)}
          isGatewaySetUp={methods?.some(({ provider, isOffered }) => isOffered && provider === shown.provider) ?? false}
          onChanged={refresh}
          onClose={() => setOpened(null)}
        />
      )}
    </ListScreen>
  );
}

/** A refund, or a part of one, takes the place of "Paid". */
function Status({
  order: { status, money, refunded },
  dot = false,
}: {
  readonly order: Payment;
  readonly dot?: boolean;
}) {
  const { t } = useTranslation();
  const back = Number(refunded.amount);
  if (back === 0) {
    return (
      <ToneChip dot={dot} tone={statusTones[status]}>
        {t(statusTexts[status])}
      </ToneChip>
    );
  }
  return (
    <ToneChip dot={dot} tone="blue">
      {t(back < Number(money.amount) ? 'payments.partlyRefunded' : 'payments.refunded')}
    </ToneChip>
  );
}

function paymentColumns(
  t: TFunction,
  money: ReturnType<typeof useFormat>['money'],
  nameOf: ReturnType<typeof useMethodName>,
): GridColDef<Payment>[] {
  return [
    column('createdAt', t('fields.createdAt'), 150, (row) => <Num>{dateTime(row.createdAt, 'seconds')}</Num>),
    column('buyer', t('logs.user'), { flex: 1, minWidth: 120 }, (row) => (
      <MayLink permission="USERS_READ" to={`/user/${row.userId}`} className="ellipsis">
        {row.buyer?.username ?? `#${row.userId}`}
      </MayLink>
    )),
    rightColumn('money', t('payments.money'), 120, (row) => <Num strong>{amountOf(row.money)}</Num>),
    rightColumn('quota', t('payments.credited'), 110, (row) => <Num>{money(row.quota, 'balance')}</Num>),
    column('method', t('wallet.method'), 140, (row) => nameOf(row.method)),
    column('status', t('fields.status'), 140, (row) => <Status dot order={row} />),
    column('paidAt', t('payments.paidAt'), 150, (row) =>
      row.paidAt ? <Num>{dateTime(row.paidAt, 'seconds')}</Num> : <Dash />,
    ),
    column('tradeNo', t('payments.tradeNo'), 220, (row) => (
      <>
        <Ellipsis title={row.tradeNo}>{row.tradeNo}</Ellipsis>
        <CopyButton size={26} value={row.tradeNo} label={t('payments.copyTradeNo', { number: row.tradeNo })} />
      </>
    )),
  ];
}
