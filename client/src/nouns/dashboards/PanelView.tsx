import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from '../../components/ActionMenu.js';
import { PanelFrame } from '../../components/charts/PanelFrame.js';
import { useFailureToast } from '../../components/useFailureToast.js';
import { describeFailure, describeRefusal } from '../../lib/errors.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { rowsOf } from './panelData.js';
import { chartHeights, PanelFigure } from './PanelFigure.js';
import { PanelMessage } from './PanelMessage.js';
import { usePanelData, type ViewerValues } from './usePanelData.js';

/** A panel of a saved dashboard: runs its query, and shows the response as the panel says. */
export function PanelView({
  panel,
  viewer,
  version,
  actions = [],
}: {
  readonly panel: PanelPartsFragment;
  readonly viewer: ViewerValues;
  /** Another number runs the query again. */
  readonly version: number;
  readonly actions?: readonly RowAction[];
}) {
  const { t } = useTranslation();
  const { data, error, loading } = usePanelData(panel, viewer, version);
  useFailureToast(error, data !== undefined, 'errors.refreshFailed');
  const { title, kind, size, shape, refusal } = panel;
  const rows = useMemo(() => (shape ? rowsOf(data, shape) : []), [data, shape]);
  const failure = error && data === undefined ? describeFailure(error, t) : undefined;
  const figure = shape && {
    title,
    kind,
    size,
    rows,
    columns: shape.columns,
    values: { of: data, columns: shape.values },
    actions,
  };
  const isLoading = failure === undefined && data === undefined;
  if (!figure || failure !== undefined || (isLoading && kind !== 'NUMBER')) {
    const message = shape
      ? failure
      : t('dashboards.notRun', { reason: describeRefusal({ code: 'INVALID_INPUT', message: refusal ?? '' }, t) });
    return (
      <PanelFrame title={title} actions={actions}>
        {message === undefined ? (
          <Skeleton
            variant="rectangular"
            height={chartHeights[kind === 'RANKING' ? 'WIDE' : size]}
            aria-label={t('grid.loading')}
          />
        ) : (
          <PanelMessage isError>{message}</PanelMessage>
        )}
      </PanelFrame>
    );
  }
  return (
    <Box aria-busy={loading} sx={{ display: 'grid', minWidth: 0, opacity: loading && !isLoading ? 0.6 : 1 }}>
      <PanelFigure {...figure} isLoading={isLoading} />
    </Box>
  );
}
