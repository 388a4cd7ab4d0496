import Box from '@mui/material/Box';

/** A page of another site, filling the space below the top bar. It may run scripts but cannot access the console. */
export function Framed({
  src,
  title,
  above = 0,
}: {
  readonly src: string;
  readonly title: string;
  /** Height of what stands between the top bar and the page, px. */
  readonly above?: number;
}) {
  return (
    <Box
      component="iframe"
      src={src}
      title={title}
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"
      referrerPolicy="no-referrer"
      sx={{ display: 'block', border: 0, width: '100%', height: `calc(100dvh - ${48 + above}px)` }}
    />
  );
}
