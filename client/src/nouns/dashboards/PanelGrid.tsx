import Box from '@mui/material/Box';
import type { RowAction } from '../../components/ActionMenu.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { PanelView } from './PanelView.js';
import type { ViewerValues } from './usePanelData.js';

/** Of six columns. */
const spans = { SMALL: 2, MEDIUM: 3, LARGE: 6 } as const;

/** The panels of a dashboard, side by side while they fit. On phones each is as wide as the screen. */
export function PanelGrid({
  panels,
  viewer,
  version,
  actionsOf = () => [],
}: {
  readonly panels: readonly PanelPartsFragment[];
  readonly viewer: ViewerValues;
  readonly version: number;
  readonly actionsOf?: (index: number) => readonly RowAction[];
}) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(6, minmax(0, 1fr))' },
      }}
    >
      {panels.map((panel, index) => (
        <Box
          // Panels have no id: two with the same query are distinguished by their order.
          key={`${panel.title} ${panel.query} ${panels.slice(0, index).filter(({ query }) => query === panel.query).length}`}
          sx={{ display: 'grid', minWidth: 0, gridColumn: { xs: 'auto', md: `span ${spans[panel.size]}` } }}
        >
          <PanelView panel={panel} viewer={viewer} version={version} actions={actionsOf(index)} />
        </Box>
      ))}
    </Box>
  );
}
