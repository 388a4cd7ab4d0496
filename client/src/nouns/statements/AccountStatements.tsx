import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import { useListPage } from '../../components/grid/useListPage.js';
import { listVariablesOf } from '../../lib/gridState.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { currentAddress, sorts, statementAddress } from './statementColumns.js';
import { StatementGrid } from './StatementGrid.js';
import { AllStatementsDocument, type StatementSortField } from './statements.generated.js';

/** The closed statements of one account, for those who see payments, and the month that runs. */
export function AccountStatements({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const grid = useServerGrid({ filters: {}, sorts });
  const { listProps } = useListPage(
    grid,
    AllStatementsDocument,
    { ...listVariablesOf<StatementSortField>(grid), filter: { accountIds: [id] } },
    ({ statements }) => statements,
  );
  return (
    <>
      <Button variant="outlined" component={Link} to={currentAddress(id)} sx={{ alignSelf: 'flex-start' }}>
        {t('statements.current')}
      </Button>
      <StatementGrid {...listProps} onRowOpen={(row) => void navigate(statementAddress(row))} />
    </>
  );
}
