import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { RowCard } from '../../components/grid/CardList.js';
import { column, rightColumn } from '../../components/grid/columns.js';
import { MayLink } from '../../components/MayLink.js';
import { Ellipsis, Num } from '../../components/Text.js';
import { dateTime } from '../../lib/format.js';
import type { useFormat } from '../../lib/useFormat.js';
import { userAddress } from '../objects/addresses.js';
import type { StatementRowFragment, StatementSortField } from './statements.generated.js';
import type { SortOf } from '../../lib/gridState.js';

export type StatementRow = StatementRowFragment;
export const sorts = ['month', 'usage', 'closing'] satisfies SortOf<StatementSortField>[];
export const monthPattern = /^\d{4}-\d{2}$/;

/** The name of a month such as `2026-11`, in the reader's language. */
export const monthName = (month: string, language: string): string =>
  new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  );

export const statementAddress = ({ id }: Pick<StatementRow, 'id'>): string => `/statements/${id ?? 'current'}`;

/** The address of the month that runs. */
export const currentAddress = (account: number): string => `/statements/current?account=${account}`;

type Money = ReturnType<typeof useFormat>['money'];

/** @param isForAdmins shows whose statement it is */
export function statementColumns(
  t: TFunction,
  money: Money,
  language: string,
  isForAdmins: boolean,
): GridColDef<StatementRow>[] {
  const amount = (field: 'opening' | 'credits' | 'usage' | 'closing') =>
    rightColumn<StatementRow>(field, t(`statements.${field}`), 130, (row) => (
      <Num strong={field === 'closing'}>{money(row[field], 'balance')}</Num>
    ));
  return [
    column('month', t('statements.month'), 140, (row) => <Num>{monthName(row.month, language)}</Num>),
    column('number', t('statements.number'), 130, (row) => <Num>{row.number}</Num>),
    ...(isForAdmins
      ? [
          column<StatementRow>('account', t('statements.account'), { flex: 1, minWidth: 140 }, (row) => (
            <MayLink permission="USERS_READ" to={userAddress(row.accountId)} className="ellipsis">
              {row.buyer.username}
            </MayLink>
          )),
          column<StatementRow>('buyer', t('statements.buyer'), { flex: 1, minWidth: 140 }, (row) => (
            <Ellipsis>{row.buyer.name}</Ellipsis>
          )),
        ]
      : []),
    amount('opening'),
    amount('credits'),
    amount('usage'),
    amount('closing'),
    column('closedAt', t('statements.closedAt'), 150, (row) => <Num>{row.closedAt && dateTime(row.closedAt)}</Num>),
  ];
}

export function StatementCard({ row, money, title }: { row: StatementRow; money: Money; title: string }) {
  return (
    <RowCard
      title={title}
      value={<Num strong>{money(row.closing, 'balance')}</Num>}
      meta={row.number}
      metaEnd={<Num>{money(-row.usage, 'balance')}</Num>}
    />
  );
}
