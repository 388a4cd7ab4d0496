import Box from '@mui/material/Box';

const width = 120;
const height = 40;

/** The shape of a course without axes, 40 high. It repeats what a chart below tells: hidden from screen readers. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(...values, 0);
  if (values.length < 2 || highest === 0) return null;
  const step = width / (values.length - 1);
  // Two pixels stay above and below, for the width of the line.
  const points = values.map(
    (value, index) => `${(index * step).toFixed(1)},${(height - 2 - (height - 4) * (value / highest)).toFixed(1)}`,
  );
  return (
    <Box
      component="svg"
      aria-hidden
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      preserveAspectRatio="none"
      sx={{
        display: { xs: 'none', lg: 'block' },
        width: '40%',
        maxWidth: 132,
        height,
        flexShrink: 0,
        alignSelf: 'end',
      }}
    >
      <polygon
        points={`0,${String(height)} ${points.join(' ')} ${String(width)},${String(height)}`}
        fill="var(--mui-palette-chart-0)"
        opacity={0.12}
      />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mui-palette-chart-0)"
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </Box>
  );
}
