import Box from '@mui/material/Box';
import { CopyButton } from './CopyButton.js';

/** Code or a formula on a sunken background; lines wrap unless `scroll`. */
export function CodeBlock({
  text,
  copyLabel,
  copyValue = text,
  scroll = false,
}: {
  readonly text: string;
  /** The accessible name of the Copy button. Without it there is no button. */
  readonly copyLabel?: string;
  /** Copied in place of the text that is shown. */
  readonly copyValue?: string | (() => Promise<string>);
  readonly scroll?: boolean;
}) {
  return (
    <Box sx={{ position: 'relative' }}>
      <Box
        component="pre"
        className="mono"
        tabIndex={scroll ? 0 : undefined}
        sx={({ vars }) => ({
          m: 0,
          padding: copyLabel ? '10px 44px 10px 12px' : '10px 12px',
          borderRadius: '6px',
          backgroundColor: vars.palette.surface.sunken,
          color: vars.palette.text.secondary,
          fontSize: 12.5,
          lineHeight: '20px',
          whiteSpace: scroll ? 'pre' : 'pre-wrap',
          overflowWrap: scroll ? 'normal' : 'anywhere',
          overflowX: scroll ? 'auto' : 'visible',
        })}
      >
        {text}
      </Box>
      {copyLabel && (
        // The background is opaque, because long lines scroll below it.
        <Box
          sx={({ vars }) => ({
            position: 'absolute',
            top: 4,
            right: 0,
            padding: '0 4px',
            borderRadius: '6px',
            backgroundColor: vars.palette.surface.sunken,
          })}
        >
          <CopyButton value={copyValue} label={copyLabel} shown="" />
        </Box>
      )}
    </Box>
  );
}
