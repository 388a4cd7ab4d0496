import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

/** Figures: tabular, without kerning, never wrapped. */
export function Num({ children, strong = false }: { readonly children: ReactNode; readonly strong?: boolean }) {
  return (
    <Box component="span" className="num" sx={{ whiteSpace: 'nowrap', fontWeight: strong ? 500 : undefined }}>
      {children}
    </Box>
  );
}

/** Nothing to show here. */
export function Dash() {
  return (
    <Box component="span" sx={{ color: 'text.disabled' }}>
      –
    </Box>
  );
}

/** Keys, JSON, formulas, upstream names. */
export function Mono({ children }: { readonly children: ReactNode }) {
  return (
    <Box component="span" className="mono" sx={{ overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  );
}

/** Text in one line that gives way with an ellipsis. */
export function Ellipsis({ children, title }: { readonly children: ReactNode; readonly title?: string }) {
  return (
    <Box
      component="span"
      title={title}
      sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', minWidth: 0 }}
    >
      {children}
    </Box>
  );
}

/** For screen readers only. */
export function Hidden({ children }: { readonly children: ReactNode }) {
  return (
    <Box
      component="span"
      sx={{
        position: 'absolute',
        width: '1px',
        height: '1px',
        overflow: 'hidden',
        clipPath: 'inset(50%)',
        whiteSpace: 'nowrap',
      }}
    >
      {children}
    </Box>
  );
}
