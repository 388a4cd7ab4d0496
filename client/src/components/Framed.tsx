import Box from '@mui/material/Box';

/** Another site's page in all the room below the top bar. It may run its own scripts, and has no way into ours. */
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
