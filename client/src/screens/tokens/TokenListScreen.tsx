import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import VpnKeyOutlinedIcon from '@mui/icons-material/VpnKeyOutlined';
import { skipToken, useQuery } from '@apollo/client/react';
import { useCallback, useMemo, useState, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../../components/CodeBlock.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { SearchBar } from '../../components/grid/SearchBar.js';
import { useListPage } from '../../components/grid/useListPage.js';
import { byRowId, useOpenedRow } from '../../components/grid/useOpenedRow.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Notice } from '../../components/Notice.js';
import { listVariablesOf } from '../../lib/gridState.js';
import { useBaseAddress } from '../../lib/status.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { RotateTokenDialog } from './RotateTokenDialog.js';
import { TokenCard } from './TokenCard.js';
import { tokenColumns } from './tokenColumns.js';
import { TokenEditor } from './TokenEditor.js';
import {
  MyTokensDocument,
  TokenModelsDocument,
  type TokenRowFragment,
  type TokenSortField,
} from './tokens.generated.js';
import { curlExample, exampleModel, TokenUsageDialog } from './TokenUsageDialog.js';
import { useTokenActions } from './useTokenActions.js';

export function TokenListScreen() {
  const { t } = useTranslation();
  const address = useBaseAddress();
  const grid = useServerGrid({ filters: { keyword: '' } });
  const [opened, setOpened] = useRowParam('row');
  const [used, setUsed] = useState<ComponentProps<typeof TokenUsageDialog>['token'] | null>(null);

  const [rotated, setRotated] = useState<TokenRowFragment | null>(null);

  const { rows, reload, isEmpty, listProps } = useListPage(
    grid,
    MyTokensDocument,
    { ...listVariablesOf<TokenSortField>(grid), filter: { keyword: grid.filter.keyword || null } },
    ({ myTokens }) => myTokens,
  );
  const models = useQuery(TokenModelsDocument, isEmpty ? {} : skipToken).data?.myModels;
  const edit = useCallback((token: TokenRowFragment) => setOpened(String(token.id)), [setOpened]);
  const showUsage = useCallback(
    (token: TokenRowFragment) =>
      setUsed({ name: token.name, id: token.id, key: null, models: token.modelLimits ?? [] }),
    [],
  );
  const actions = useTokenActions({ refetch: reload, edit, showUsage, rotate: setRotated });
  const columns = useMemo(() => tokenColumns(t, actions), [t, actions]);

  const add = (
    <Button variant="contained" startIcon={<AddOutlinedIcon />} onClick={() => setOpened('new')}>
      {t('tokens.create')}
    </Button>
  );
  const editedRow = useOpenedRow(rows, opened, MyTokensDocument, byRowId, ({ myTokens }) => myTokens);

  return (
    <ListScreen
      title={t('shell.tokens')}
      actions={!isEmpty && add}
      notice={<Notice tone="amber">{t('tokens.notice')}</Notice>}
      filters={!isEmpty && <SearchBar grid={grid} label={t('tokens.search')} width={280} />}
    >
      <ListGrid
        label={t('shell.tokens')}
        columnsKey="tokens-table-columns"
        columns={columns}
        {...listProps}
        getRowId={(row) => row.id}
        onRowOpen={edit}
        rowHeight={48}
        renderCard={(row) => <TokenCard row={row} actions={actions} />}
        empty={
          <EmptyState
            icon={<VpnKeyOutlinedIcon />}
            title={t('tokens.emptyTitle')}
            text={t('tokens.emptyText')}
            action={add}
          >
            <Box sx={{ mt: 4, width: '100%', maxWidth: 520 }}>
              <CodeBlock scroll text={curlExample(address, 'sk-…', exampleModel(models ?? []))} />
            </Box>
          </EmptyState>
        }
      />
      {(opened === 'new' || editedRow) && (
        <TokenEditor
          key={opened}
          token={editedRow ?? null}
          onSaved={reload}
          onCreated={(created) => setUsed(created)}
          onClosed={() => setOpened(null)}
        />
      )}
      {rotated && <RotateTokenDialog token={rotated} onRotated={setUsed} onClose={() => setRotated(null)} />}
      {used && <TokenUsageDialog token={used} onClose={() => setUsed(null)} />}
    </ListScreen>
  );
}
