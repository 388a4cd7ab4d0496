import { useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ContentCopyOutlinedIcon from '@mui/icons-material/ContentCopyOutlined';
import SellOutlinedIcon from '@mui/icons-material/SellOutlined';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/CopyProvider.js';
import { EmptyState } from '../../components/EmptyState.js';
import { Footer } from '../../components/Footer.js';
import { FilterBar } from '../../components/grid/FilterBar.js';
import { ListGrid } from '../../components/grid/ListGrid.js';
import { ListScreen } from '../../components/ListScreen.js';
import { Notice } from '../../components/Notice.js';
import { ToneChip } from '../../components/Tone.js';
import { integer, ratio as ratioText } from '../../lib/format.js';
import { ratioTone } from '../../nouns/groups/groupTone.js';
import { useSession } from '../../lib/session.js';
import { useStatus } from '../../lib/status.js';
import { useIsMobile } from '../../lib/useMediaFlags.js';
import { useRowsOf } from '../../lib/useLocalGrid.js';
import { useRowParam } from '../../lib/useRowParam.js';
import { useServerGrid } from '../../lib/useServerGrid.js';
import { isFuzzyMatch } from './fuzzy.js';
import { PricingDocument } from './pricing.generated.js';
import { ModelDrawer } from './ModelDrawer.js';
import { PricingCard, pricingColumns } from './pricingColumns.js';

const defaultGroup = 'default';

/** Public price list, with the prices of the chosen group. */
export function PricingScreen() {
  const { t } = useTranslation();
  const copy = useCopy();
  const mobile = useIsMobile();
  const user = useSession();
  const { quotaPerUnit } = useStatus();
  const { data, error, loading, refetch } = useQuery(PricingDocument);
  // Formula and footer are below the rows, so show them together.
  const rowsDrawn = useDeferredValue(!loading);
  const [viewed, setViewed] = useRowParam('group');
  const [opened, setOpened] = useRowParam('row');
  const address = useServerGrid({ filters: { keyword: '', billing: '' } });
  const { keyword, billing } = address.filter;
  const [selected, setSelected] = useState<ReadonlySet<string | number>>(new Set());
  const own = user?.group ?? defaultGroup;
  const group = viewed ?? own;
  const ratios = useMemo(() => new Map(data?.pricing.groups.map(({ name, ratio }) => [name, ratio ?? 1])), [data]);
  const factor = ratios.get(group) ?? 1;
  const models = useMemo(
    () =>
      data?.pricing.models.filter(
        ({ modelName, modelPrice }) =>
          isFuzzyMatch(modelName, keyword) && (billing === '' || (billing === 'request') === (modelPrice != null)),
      ),
    [data, keyword, billing],
  );
  const { grid, rows } = useRowsOf(models ?? [], address);
  const openedModel = data?.pricing.models.find(({ modelName }) => modelName === opened);
  const columns = useMemo(() => pricingColumns({ t, group, factor, view: setViewed }), [t, group, factor, setViewed]);
  return (
    <>
      <ListScreen
        title={t('shell.pricing')}
        notice={
          <>
            <Notice tone={user ? 'blue' : 'amber'}>
              <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
                {user ? t('pricing.yourGroup', { group: own }) : t('pricing.signedOut')}
                <ToneChip tone={ratioTone(ratios.get(own) ?? 1)}>{`${ratioText(ratios.get(own) ?? 1)}×`}</ToneChip>
              </Box>
            </Notice>
            <Notice tone="blue">{t('pricing.formula', { unit: integer(quotaPerUnit) })}</Notice>
          </>
        }
        filters={
          <FilterBar
            filters={address.filters}
            search={{ label: t('fields.modelName') }}
            fields={[
              {
                name: 'billing',
                label: t('pricing.billing'),
                choices: [
                  { value: 'token', label: t('prices.perToken') },
                  { value: 'request', label: t('prices.perRequest') },
                ],
              },
            ]}
            end={
              !mobile && (
                <Button
                  variant="outlined"
                  startIcon={<ContentCopyOutlinedIcon />}
                  disabled={selected.size === 0}
                  onClick={() => void copy([...selected].join(','))}
                >
                  {t('pricing.copySelected', { count: selected.size })}
                </Button>
              )
            }
          />
        }
      >
        <ListGrid
          label={t('shell.pricing')}
          columnsKey="pricing-table-columns"
          grid={grid}
          columns={columns}
          rows={models && rows}
          totalCount={models?.length ?? 0}
          loading={loading}
          error={error}
          onRetry={() => void refetch()}
          getRowId={(row) => row.modelName}
          onRowOpen={(row) => setOpened(row.modelName)}
          currentRow={opened}
          selection={{ ids: selected, onChange: setSelected }}
          renderCard={(row) => <PricingCard row={row} group={group} factor={factor} view={setViewed} />}
          empty={<EmptyState icon={<SellOutlinedIcon />} title={t('fields.noModels')} />}
        />
      </ListScreen>
      {openedModel && <ModelDrawer model={openedModel} group={group} factor={factor} onClose={() => setOpened(null)} />}
      {rowsDrawn && <Footer />}
    </>
  );
}
