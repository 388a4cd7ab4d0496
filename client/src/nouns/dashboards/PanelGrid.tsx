import Box from '@mui/material/Box';
import type { RowAction } from '../../components/ActionMenu.js';
import type { PanelPartsFragment } from './dashboards.generated.js';
import { PanelView } from './PanelView.js';
import type { ViewerValues } from './usePanelData.js';

/** The grid has six columns. */
const spans = { SMALL: 2, MEDIUM: 3, WIDE: 4, LARGE: 6 } as const;

/** On phones two small numbers share a line. The last of an odd number of them has its own. */
function sharesLine(panels: readonly PanelPartsFragment[], index: number): boolean {
  const isSmall = (at: number): boolean => panels[at]?.kind === 'NUMBER' && panels[at].size === 'SMALL';
  let [start, end] = [index, index];
  while (isSmall(start - 1)) start--;
  while (isSmall(end + 1)) end++;
  return isSmall(index) && (index < end || (end - start) % 2 === 1);
}

/** The panels of a dashboard, beside each other while they fit. On phones each is as wide as the screen. */
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
        gridTemplateColumns: { xs: 'repeat(2, minmax(0, 1fr))', md: 'repeat(6, minmax(0, 1fr))' },
      }}
    >
      {panels.map((panel, index) => (
        <Box
          // Panels have no id: two of the same kind with one title and query are distinguished by their order.
          key={keyOf(panels, index)}
          sx={{
            display: 'grid',
            minWidth: 0,
            gridColumn: { xs: sharesLine(panels, index) ? 'auto' : '1 / -1', md: `span ${spans[panel.size]}` },
          }}
        >
          <PanelView panel={panel} viewer={viewer} version={version} actions={actionsOf(index)} />
        </Box>
      ))}
    </Box>
  );
}

function keyOf(panels: readonly PanelPartsFragment[], index: number): string {
  const text = ({ title, kind, query }: PanelPartsFragment): string => `${title} ${kind} ${query}`;
  const [own, ...earlier] = panels
    .slice(0, index + 1)
    .toReversed()
    .map(text);
  return `${own} ${earlier.filter((one) => one === own).length}`;
}
