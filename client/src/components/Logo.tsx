import Box from '@mui/material/Box';
import { useStatus } from '../lib/status.js';

/** The site's logo if one is set, else Tollgate's: the post and bar of a gate, and a token that passes. */
export function Logo({ size }: { readonly size: number }) {
  const { logo } = useStatus();
  if (logo) {
    return (
      <Box
        component="img"
        src={logo}
        alt=""
        width={size}
        height={size}
        sx={{ borderRadius: '25%', objectFit: 'cover' }}
      />
    );
  }
  return (
    <Box
      component="svg"
      aria-hidden
      viewBox="0 0 32 32"
      width={size}
      height={size}
      sx={{ display: 'block', flexShrink: 0 }}
    >
      <Box component="rect" width="32" height="32" rx="8" sx={{ fill: 'var(--mui-palette-primary-main)' }} />
      <Box
        component="path"
        d="M9.5 25V13.2L22.5 9"
        sx={{
          fill: 'none',
          stroke: 'var(--mui-palette-background-paper)',
          strokeWidth: 3,
          strokeLinecap: 'round',
          strokeLinejoin: 'round',
        }}
      />
      <Box
        component="circle"
        cx="22"
        cy="22"
        r="2.6"
        sx={{ fill: 'var(--mui-palette-background-paper)', fillOpacity: 0.8 }}
      />
    </Box>
  );
}
