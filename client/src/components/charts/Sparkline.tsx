import Box from '@mui/material/Box';
import { SparkLineChart } from '@mui/x-charts/SparkLineChart';

/**
 * The shape of a time series without axes, 40 px high beside a number, or 80 px high below it. Hidden from screen readers: a
 * chart below has the same values.
 */
export function Sparkline({
  values,
  isWide = false,
}: {
  readonly values: readonly number[];
  readonly isWide?: boolean;
}) {
  if (values.length < 2 || Math.max(...values) === 0) return null;
  return (
    <Box
      aria-hidden
      sx={{
        display: { xs: 'none', lg: 'block' },
        // The number beside it limits the width.
        ...(isWide ? {} : { flex: '0 1 40%', maxWidth: 132, alignSelf: 'end' }),
        minWidth: 0,
        overflow: 'hidden',
        '& .MuiLineChart-line': { strokeWidth: 1.5 },
        '& .MuiLineChart-area': { opacity: 0.12 },
      }}
    >
      <SparkLineChart
        data={[...values]}
        height={isWide ? 80 : 40}
        area
        color="var(--mui-palette-chart-0)"
        yAxis={{ min: 0 }}
        margin={{ top: 2, right: 0, bottom: 0, left: 0 }}
        disableKeyboardNavigation
      />
    </Box>
  );
}
