import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import type { ToneName } from '../app/theme/tokens.js';

/** `outline` is grey text in a line, for what is neither good nor bad. */
export type Tone = ToneName | 'outline';

export interface ToneChipProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** A 6 px dot before the word: for states. */
  readonly dot?: boolean;
  /** More about it; makes the chip focusable and dots the word's underline. */
  readonly hint?: ReactNode;
  readonly label?: string;
}

/** One word on a tint. The meaning is in the word, the colour repeats it. */
export function ToneChip({ tone, children, dot = false, hint, label }: ToneChipProps) {
  const chip = (
    <Box
      component="span"
      className="num"
      aria-label={label}
      {...(hint ? { tabIndex: 0 } : {})}
      sx={({ vars }) => ({
        display: 'inline-flex',
        alignItems: 'center',
        gap: '5px',
        height: 20,
        padding: '0 6px',
        borderRadius: '4px',
        fontSize: 12,
        lineHeight: '16px',
        fontWeight: 500,
        whiteSpace: 'nowrap',
        flexShrink: 0,
        maxWidth: '100%',
        ...(tone === 'outline'
          ? { color: vars.palette.tone.grey.text, border: `1px solid ${vars.palette.surface.line}` }
          : { color: vars.palette.tone[tone].text, backgroundColor: vars.palette.tone[tone].tint }),
      })}
    >
      {dot && (
        <Box
          component="span"
          aria-hidden
          sx={{ width: 6, height: 6, borderRadius: '50%', backgroundColor: 'currentColor', flexShrink: 0 }}
        />
      )}
      <Box
        component="span"
        sx={{
          overflow: 'hidden',
          textOverflow: 'ellipsis',
          ...(hint ? { textDecoration: 'underline dotted', textUnderlineOffset: '3px' } : {}),
        }}
      >
        {children}
      </Box>
    </Box>
  );
  return hint ? (
    <Tooltip title={hint} describeChild>
      {chip}
    </Tooltip>
  ) : (
    chip
  );
}
