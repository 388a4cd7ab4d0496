import Box from '@mui/material/Box';
import type { ReactNode, Ref } from 'react';
import type { ToneName } from '../app/theme/tokens.js';

/** `outline` is grey text in a line, for what is neither good nor bad. */
export type Tone = ToneName | 'outline';

export interface ToneLabelProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** A 6 px dot before the word: for states. */
  readonly dot?: boolean;
  readonly label?: string | undefined;
  /** There is more about it: focusable, the word's underline dotted. */
  readonly explained?: boolean;
  readonly ref?: Ref<HTMLSpanElement>;
}

/** One word on a tint. The meaning is in the word, the colour repeats it. */
export function ToneLabel({ tone, children, dot = false, label, explained = false, ...rest }: ToneLabelProps) {
  return (
    <Box
      component="span"
      aria-label={label}
      {...(explained ? { tabIndex: 0 } : {})}
      {...rest}
      // Behind what a tooltip hands down, which has a class of its own, if an empty one.
      className="num"
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
          ...(explained ? { textDecoration: 'underline dotted', textUnderlineOffset: '3px' } : {}),
        }}
      >
        {children}
      </Box>
    </Box>
  );
}
