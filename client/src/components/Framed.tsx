import Box from '@mui/material/Box';

/** A page of another site, filling the space below the top bar. It may run scripts but cannot access the console. */
export function Framed({ src, title }: { readonly src: string; readonly title: string }) {
  return (
    <Box
      component="iframe"
      src={src}
      title={title}
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"
      referrerPolicy="no-referrer"
      sx={{ display: 'block', border: 0, width: '100%', height: 'calc(100dvh - 48px)' }}
    />
  );
}
