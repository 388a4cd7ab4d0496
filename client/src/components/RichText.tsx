import Box from '@mui/material/Box';
import { useMemo } from 'react';
import { cleanHtml, richHtml } from '../lib/richText.js';

/** Sanitized Markdown or HTML. The default is for admins' texts; other sources pass their own renderer. */
export function RichText({
  text,
  html = false,
  toHtml = html ? cleanHtml : richHtml,
}: {
  readonly text: string;
  readonly html?: boolean;
  readonly toHtml?: (text: string) => string;
}) {
  const shown = useMemo(() => ({ __html: toHtml(text) }), [text, toHtml]);
  return (
    <Box
      dangerouslySetInnerHTML={shown}
      sx={({ vars }) => ({
        overflowWrap: 'anywhere',
        '& > :first-of-type': { mt: 0 },
        '& > :last-child': { mb: 0 },
        '& h1, & h2, & h3': { fontSize: 16, lineHeight: '24px', fontWeight: 600, margin: '20px 0 8px' },
        '& p, & ul, & ol': { margin: '0 0 12px' },
        '& a[href]': { color: vars.palette.primary.main },
        '& img': { maxWidth: '100%', borderRadius: '8px' },
        '& pre, & code': { fontFamily: 'Geist Mono Variable, monospace', fontSize: '.94em' },
        '& pre': {
          padding: '10px 12px',
          borderRadius: '6px',
          backgroundColor: vars.palette.surface.sunken,
          overflowX: 'auto',
        },
        '& table': {
          borderCollapse: 'collapse',
          '& td, & th': { border: `1px solid ${vars.palette.surface.line}`, padding: '4px 8px' },
        },
        '& blockquote': {
          margin: '0 0 12px',
          paddingLeft: '12px',
          borderLeft: `3px solid ${vars.palette.surface.lineStrong}`,
          color: vars.palette.text.secondary,
        },
      })}
    />
  );
}
