import Box from '@mui/material/Box';
import { PieChart } from '@mui/x-charts/PieChart';
import { percent } from '../../lib/format.js';
import { Ellipsis, Num } from '../Text.js';

export interface Slice {
  readonly name: string;
  /** A CSS colour, also `var(...)`. */
  readonly color: string;
  readonly value: number;
}

/** A pie with its slices listed beside it, or below it in a narrow panel, each with its value and its share. */
export function ShareChart({
  slices,
  format,
  name,
}: {
  readonly slices: readonly Slice[];
  readonly format: (value: number) => string;
  /** The accessible name. */
  readonly name: string;
}) {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, alignItems: 'center' }}>
      <Box role="figure" aria-label={name} sx={{ flex: '0 1 200px', minWidth: 0, mx: 'auto' }}>
        <PieChart
          height={200}
          hideLegend
          skipAnimation
          margin={4}
          series={[
            {
              innerRadius: 52,
              valueFormatter: ({ value }) => format(value),
              data: slices.map(({ name: label, value, color }, id) => ({ id, label, value, color })),
            },
          ]}
          sx={{ '& .MuiPieArc-root, & .MuiPieChart-arc': { stroke: 'var(--mui-palette-background-paper)' } }}
        />
      </Box>
      <Box component="ul" sx={{ flex: '1 1 200px', minWidth: 0, listStyle: 'none', margin: 0, padding: 0 }}>
        {slices.map((slice, index) => (
          <Box key={index} component="li" sx={{ display: 'flex', alignItems: 'center', gap: 1, py: '3px' }}>
            <Box
              aria-hidden
              sx={{ flexShrink: 0, width: 8, height: 8, borderRadius: '2px', backgroundColor: slice.color }}
            />
            <Ellipsis title={slice.name}>{slice.name}</Ellipsis>
            <Box sx={{ ml: 'auto', display: 'flex', gap: 1.5, flexShrink: 0 }}>
              <Num strong>{format(slice.value)}</Num>
              <Box className="num" sx={{ width: 36, textAlign: 'right', color: 'text.secondary' }}>
                {total > 0 ? percent(slice.value / total) : '–'}
              </Box>
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
}
