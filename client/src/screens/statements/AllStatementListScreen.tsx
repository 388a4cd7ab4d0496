import { useQuery } from '@apollo/client/react';
import ReceiptLongOutlinedIcon from '@mui/icons-material/ReceiptLongOutlined';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { ListScreen } from '../../components/ListScreen.js';
import { useExportActions } from '../../components/useExportActions.js';
import { idPattern, listVariablesOf } from '../../lib/gridState.js';
import { useFormat } from '../../lib/useFormat.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import {
  monthName,
  monthPattern,
  sorts,
  statementAddress,
  StatementCard,
  statementColumns,
} from '../../nouns/statements/statementColumns.js';
import {
  AllStatementsDocument,
  type StatementFilter,
  type StatementSortField,
} from '../../nouns/statements/statements.generated.js';
import { useAccountFilter } from '../../nouns/users/useAccountFilter.js';
import { StatementMonthsDocument } from './statements.generated.js';

const noFilters = { month: '', account: '' };
const patterns = { month: monthPattern, account: idPattern };

const toFilter = ({ month, account }: Readonly<typeof noFilters>): StatementFilter => ({
  ...(month ? { months: [month] } : {}),
  ...(account ? { accountIds: [Number(account)] } : {}),
});

/** Closed statements of all accounts. */
export function AllStatementListScreen() {
  const { t, i18n } = useTranslation();
  const { money } = useFormat();
  const navigate = useNavigate();
  const grid = useServerGrid({ filters: noFilters, patterns, sorts });
  const months = useQuery(StatementMonthsDocument).data?.statementMonths;
  const account = useAccountFilter({ name: 'account', label: t('statements.account'), value: grid.filter.account });
  const filter = useMemo(() => toFilter(grid.filter), [grid.filter]);
  const { listProps, reload } = useListPage(
    grid,
    AllStatementsDocument,
    { ...listVariablesOf<StatementSortField>(grid), filter },
    ({ statements }) => statements,
  );
  const columns = useMemo(() => statementColumns(t, money, i18n.language, true), [t, money, i18n.language]);
  const exports = useExportActions({
    path: '/api/statement/export',
    parameters: () => ({ month: filter.months?.[0] ?? '', account_id: grid.filter.account }),
    name: 'statements',
  });
  return (
    <ListScreen
      title={t('shell.allStatements')}
      menu={[{ label: t('actions.refresh'), onSelect: reload }, ...exports]}
      filters={
        <FilterBar
          filters={grid.filters}
          fields={[
            {
              name: 'month',
              label: t('statements.month'),
              choices: months?.map((value) => ({ value, label: monthName(value, i18n.language) })),
            },
            account,
          ]}
        />
      }
    >
      <ListGrid
        label={t('shell.allStatements')}
        columnsKey="all-statements-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id ?? 0}
        onRowOpen={(row) => void navigate(statementAddress(row))}
        renderCard={(row) => (
          <StatementCard
            row={row}
            money={money}
            title={`${monthName(row.month, i18n.language)} · ${row.buyer.username}`}
          />
        )}
        empty={
          <EmptyState
            icon={<ReceiptLongOutlinedIcon />}
            title={t('statements.emptyTitle')}
            text={t('statements.emptyText')}
          />
        }
      />
    </ListScreen>
  );
}
