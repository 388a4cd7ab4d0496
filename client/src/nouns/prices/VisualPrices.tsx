import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import FormControlLabel from '@mui/material/FormControlLabel';
import Switch from '@mui/material/Switch';
import AddOutlinedIcon from '@mui/icons-material/AddOutlined';
import PriceChangeOutlinedIcon from '@mui/icons-material/PriceChangeOutlined';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../components/EmptyState.js';
import { SelectFilter, TextFilter } from '../../components/grid/filterFields.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { useSelection } from '../../components/grid/useSelection.js';
import { byName } from '../../lib/nameMatch.js';
import { useLocalGrid } from '../../lib/useLocalGrid.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { AddModelDialog } from './AddModelDialog.js';
import { BatchPriceDialog } from './BatchPriceDialog.js';
import { PriceCard, priceColumns } from './priceColumns.js';
import { PricePanel } from './PricePanel.js';
import { withoutModel, withRatios, type PriceRow } from './priceTables.js';
import type { Prices } from './usePrices.js';

/** Whether an enabled channel serves a model of the row, whose name may end with `*`, or the price was just changed. */
const isOwn = ({ model, changed }: PriceRow, served: readonly string[]): boolean =>
  changed ||
  served.includes(model) ||
  (model.endsWith('*') && served.some((one) => one.startsWith(model.slice(0, -1))));

/** One row per model. The selected one is edited beside the table, or over it on narrow screens. */
export function VisualPrices({ prices }: { readonly prices: Prices }) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [keyword, setKeyword] = useState('');
  const [billing, setBilling] = useState('');
  const [showsAll, setShowsAll] = useState(false);
  const [switches, setSwitches] = useState(0);
  const [chosen, setChosen] = useState<string | null>(null);
  const { ids: selected, select, drop, clear } = useSelection();
  const [dialog, setDialog] = useState<'add' | 'batch' | null>(null);
  const { servedModels } = prices;
  const mine = useMemo(() => prices.rows.filter((row) => isOwn(row, servedModels)), [prices.rows, servedModels]);
  const shown = useMemo(() => {
    const found = (rows: readonly PriceRow[]) =>
      byName(rows, ({ model }) => model, keyword).filter(
        ({ price }) => billing === '' || (billing === 'request') === (price !== null),
      );
    const own = showsAll ? [] : found(mine);
    // A name that no own model has is looked for among all.
    return own.length > 0 || (mine.length > 0 && !showsAll && keyword === '') ? own : found(prices.rows);
  }, [prices.rows, mine, showsAll, keyword, billing]);
  const grid = useLocalGrid(shown, {
    isFiltered: keyword !== '' || billing !== '',
    reset: () => {
      setKeyword('');
      setBilling('');
    },
  });
  const { put, tables, builtIn, losses } = prices;
  const isNarrow = chosen !== null;
  const columns = useMemo(
    () =>
      priceColumns({
        t,
        builtIn,
        losses,
        isNarrow,
        remove: (model) => {
          drop(model);
          put(withoutModel(tables, model));
        },
      }),
    [t, builtIn, losses, isNarrow, drop, put, tables],
  );
  const row = prices.rows.find(({ model }) => model === chosen);
  const panel = row && (
    <PricePanel
      key={`${row.model} ${switches}`}
      row={row}
      prices={prices}
      onSwitched={() => setSwitches(switches + 1)}
      onClose={() => setChosen(null)}
    />
  );
  const open = ({ model }: PriceRow) => setChosen(model);

  return (
    <Box sx={{ display: 'flex', gap: 2, alignItems: 'flex-start' }}>
      <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column', gap: 1.5 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, minHeight: 32, alignItems: 'center' }}>
          {selected.size > 0 ? (
            <>
              <Box className="num" role="status" sx={{ fontSize: 13, fontWeight: 500, mr: 1 }}>
                {t('grid.selected', { count: selected.size })}
              </Box>
              <Button variant="outlined" onClick={() => setDialog('batch')}>
                {t('prices.batchSet')}
              </Button>
              <Button onClick={clear}>{t('grid.clearSelection')}</Button>
            </>
          ) : (
            <>
              <TextFilter
                search
                label={t('fields.modelName')}
                value={keyword}
                onChange={setKeyword}
                width={mobile ? 180 : 240}
              />
              <SelectFilter
                label={t('prices.billing')}
                all={t('prices.allBilling')}
                value={billing}
                onChange={setBilling}
                width={128}
                choices={[
                  { value: 'token', label: t('prices.perToken') },
                  { value: 'request', label: t('prices.perRequest') },
                ]}
              />
              {mine.length > 0 && mine.length < prices.rows.length && (
                <FormControlLabel
                  control={<Switch checked={showsAll} onChange={(_, next) => setShowsAll(next)} />}
                  label={t('prices.allModels', { count: prices.rows.length })}
                  sx={{ ml: 0, gap: 1 }}
                  slotProps={{ typography: { variant: 'body2' } }}
                />
              )}
              <Button
                variant="outlined"
                startIcon={<AddOutlinedIcon />}
                sx={{ ml: 'auto' }}
                onClick={() => setDialog('add')}
              >
                {t('prices.addModel')}
              </Button>
            </>
          )}
        </Box>
        <ListGrid
          label={t('settings.sections.prices')}
          grid={grid.grid}
          columns={columns}
          rows={prices.isLoading ? undefined : grid.rows}
          totalCount={shown.length}
          loading={prices.isLoading}
          onRetry={() => undefined}
          getRowId={(one) => one.model}
          onRowOpen={open}
          currentRow={chosen}
          selection={{ ids: selected, onChange: select }}
          renderCard={(one) => <PriceCard row={one} builtIn={builtIn} loss={losses.get(one.model)} />}
          empty={<EmptyState icon={<PriceChangeOutlinedIcon />} title={t('prices.noPrices')} />}
        />
      </Box>
      {mobile ? (
        <Dialog open={row !== undefined} fullScreen onClose={() => setChosen(null)}>
          {panel}
        </Dialog>
      ) : (
        panel
      )}
      {dialog === 'add' && (
        <AddModelDialog
          taken={prices.rows.map(({ model }) => model)}
          onClose={() => setDialog(null)}
          onAdd={(model) => {
            put(withRatios(tables, model, 1, null));
            setChosen(model);
            setDialog(null);
          }}
        />
      )}
      {dialog === 'batch' && (
        <BatchPriceDialog
          models={[...selected].map(String)}
          prices={prices}
          onClose={() => setDialog(null)}
          onSet={(next) => {
            put(next);
            clear();
            setDialog(null);
          }}
        />
      )}
    </Box>
  );
}
