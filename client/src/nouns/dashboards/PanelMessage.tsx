import Box from '@mui/material/Box';

/** A sentence in the place of what a panel would show. */
export function PanelMessage({ children, isError = false }: { readonly children: string; readonly isError?: boolean }) {
  return (
    <Box
      role={isError ? 'alert' : 'status'}
      sx={{
        flex: 1,
        minHeight: 56,
        display: 'grid',
        placeItems: 'center',
        textAlign: 'center',
        overflowWrap: 'anywhere',
        color: isError ? 'error.main' : 'text.secondary',
      }}
    >
      {children}
    </Box>
  );
}
