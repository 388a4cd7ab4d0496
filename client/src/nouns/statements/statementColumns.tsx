import type { GridColDef } from '@mui/x-data-grid';
import type { TFunction } from 'i18next';
import { RowCard } from '../../components/grid/CardList.js';
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
const right = { align: 'right', headerAlign: 'right' } as const;

/** @param isForAdmins shows whose statement it is */
export function statementColumns(
  t: TFunction,
  money: Money,
  language: string,
  isForAdmins: boolean,
): GridColDef<StatementRow>[] {
  const amount = (field: 'opening' | 'credits' | 'usage' | 'closing', sortable = false): GridColDef<StatementRow> => ({
    field,
    headerName: t(`statements.${field}`),
    width: 130,
    sortable,
    ...right,
    renderCell: ({ row }) => <Num strong={field === 'closing'}>{money(row[field], 'balance')}</Num>,
  });
  return [
    {
      field: 'month',
      headerName: t('statements.month'),
      width: 140,
      renderCell: ({ row }) => <Num>{monthName(row.month, language)}</Num>,
    },
    {
      field: 'number',
      headerName: t('statements.number'),
      width: 130,
      sortable: false,
      renderCell: ({ row }) => <Num>{row.number}</Num>,
    },
    ...(isForAdmins
      ? [
          {
            field: 'account',
            headerName: t('statements.account'),
            flex: 1,
            minWidth: 140,
            sortable: false,
            renderCell: ({ row }) => (
              <MayLink permission="USERS_READ" to={userAddress(row.accountId)} className="ellipsis">
                {row.buyer.username}
              </MayLink>
            ),
          } satisfies GridColDef<StatementRow>,
          {
            field: 'buyer',
            headerName: t('statements.buyer'),
            flex: 1,
            minWidth: 140,
            sortable: false,
            renderCell: ({ row }) => <Ellipsis>{row.buyer.name}</Ellipsis>,
          } satisfies GridColDef<StatementRow>,
        ]
      : []),
    amount('opening'),
    amount('credits'),
    amount('usage', true),
    amount('closing', true),
    {
      field: 'closedAt',
      headerName: t('statements.closedAt'),
      width: 150,
      sortable: false,
      renderCell: ({ row }) => <Num>{row.closedAt && dateTime(row.closedAt)}</Num>,
    },
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
