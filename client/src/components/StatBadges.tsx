import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import Skeleton from '@mui/material/Skeleton';
import Tooltip from '@mui/material/Tooltip';

export interface Stat {
  readonly label: string;
  /** Undefined while loading. */
  readonly value: string | undefined;
  readonly note?: string;
  /** The unabbreviated number. */
  readonly full?: string;
  /** Marks a loss. */
  readonly isLoss?: boolean;
}

/** The figures above a list, in one card with dividers. The first cell is wider. */
export function StatBadges({ stats, label }: { readonly stats: readonly Stat[]; readonly label: string }) {
  return (
    <Card
      component="dl"
      aria-label={label}
      sx={({ vars }) => ({
        m: 0,
        display: 'grid',
        gap: '1px',
        backgroundColor: vars.palette.surface.line,
        // Columns keep their width regardless of their content.
        gridTemplateColumns: {
          xs: 'repeat(2, minmax(0, 1fr))',
          sm: `repeat(${stats.length % 3 === 0 ? 3 : 2}, minmax(0, 1fr))`,
          md: `minmax(0, 1.25fr) repeat(${stats.length - 1}, minmax(0, 1fr))`,
        },
        // If the number of cells is odd, the last one fills its line.
        '& > :last-child:nth-of-type(odd)': {
          gridColumn: { xs: '1 / -1', ...(stats.length % 3 === 0 ? { sm: 'auto' } : {}), md: 'auto' },
        },
      })}
    >
      {stats.map((stat) => (
        <div key={stat.label} className="stat">
          <dt className="nowrap secondary">{stat.label}</dt>
          <dd className="num anywhere">
            {stat.value === undefined ? (
              <Skeleton variant="rectangular" width={72} height={20} sx={{ my: '3px', maxWidth: '100%' }} />
            ) : stat.full === undefined ? (
              <Box component="span" {...(stat.isLoss ? { sx: { color: 'error.main' } } : {})}>
                {stat.value}
              </Box>
            ) : (
              <Tooltip title={stat.full}>
                <span aria-label={stat.full}>{stat.value}</span>
              </Tooltip>
            )}
            {stat.note && <span className="stat-note secondary">{stat.note}</span>}
          </dd>
        </div>
      ))}
    </Card>
  );
}
