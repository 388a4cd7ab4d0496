import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { RowAction } from '../../components/ActionMenu.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { PanelView } from './PanelView.js';
import type { ViewerValues } from './usePanelData.js';

/** The grid has six columns. */
const spans = { SMALL: 2, MEDIUM: 3, WIDE: 4, LARGE: 6 } as const;

export interface PanelCell {
  readonly key: string;
  /** The number of columns of the six. */
  readonly span: 2 | 3 | 4 | 6;
  readonly content: ReactNode;
}

/** Panels side by side while they fit. On phones each is as wide as the screen. */
export function PanelCells({ cells }: { readonly cells: readonly PanelCell[] }) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(6, minmax(0, 1fr))' },
      }}
    >
      {cells.map(({ key, span, content }) => (
        <Box key={key} sx={{ display: 'grid', minWidth: 0, gridColumn: { xs: 'auto', md: `span ${span}` } }}>
          {content}
        </Box>
      ))}
    </Box>
  );
}

/** The panels of a saved dashboard. */
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
    <PanelCells
      cells={panels.map((panel, index) => ({
        // Panels have no id: two with the same query are distinguished by their order.
        key: `${panel.title} ${panel.query} ${panels.slice(0, index).filter(({ query }) => query === panel.query).length}`,
        span: spans[panel.size],
        content: <PanelView panel={panel} viewer={viewer} version={version} actions={actionsOf(index)} />,
      }))}
    />
  );
}
