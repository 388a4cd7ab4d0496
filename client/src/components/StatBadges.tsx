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
}

/** One card split by lines: the figures above a list. The first cell is a little wider. */
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
        gridTemplateColumns: {
          xs: '1fr 1fr',
          sm: '1fr 1fr 1fr',
          md: `1.25fr repeat(${String(stats.length - 1)}, 1fr)`,
        },
      })}
    >
      {stats.map((stat) => (
        <Box key={stat.label} sx={{ backgroundColor: 'background.paper', padding: '8px 16px 10px' }}>
          <Box component="dt" sx={{ fontSize: 12, lineHeight: '18px', color: 'text.secondary', whiteSpace: 'nowrap' }}>
            {stat.label}
          </Box>
          <Box
            component="dd"
            className="num"
            sx={{
              m: 0,
              height: 26,
              display: 'flow-root',
              fontSize: 18,
              lineHeight: '26px',
              fontWeight: 600,
              whiteSpace: 'nowrap',
            }}
          >
            {stat.value === undefined ? (
              <Skeleton variant="rectangular" width={72} height={20} sx={{ my: '3px' }} />
            ) : (
              <Tooltip title={stat.full ?? ''}>
                <span>{stat.value}</span>
              </Tooltip>
            )}
            {stat.note && stat.value !== undefined && (
              <Box component="span" sx={{ ml: 1, fontSize: 12, fontWeight: 400, color: 'text.secondary' }}>
                {stat.note}
              </Box>
            )}
          </Box>
        </Box>
      ))}
    </Card>
  );
}
