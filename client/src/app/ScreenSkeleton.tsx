import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { Delayed } from '../components/Delayed.js';

/** The outline of a list screen, shown while its code loads. */
export function ScreenSkeleton() {
  return (
    <Delayed>
      <Box aria-busy sx={{ padding: { xs: 2, sm: 3 }, display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Skeleton variant="rectangular" width={160} height={28} />
        <Skeleton variant="rectangular" height={32} sx={{ maxWidth: 560 }} />
        <Skeleton variant="rectangular" height={480} sx={{ borderRadius: '8px' }} />
      </Box>
    </Delayed>
  );
}
