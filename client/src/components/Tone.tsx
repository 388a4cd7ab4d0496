import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import type { ToneName } from '../theme/tokens.js';

/** `outline` is grey text in a border, for values that are neither good nor bad. */
export type Tone = ToneName | 'outline';

/**
 * A chip with one word. The word carries the meaning, and the colour only repeats it. It is a plain element, because a
 * page of a list has a hundred chips, and rendering the library's chip takes many times as long.
 */
export function ToneChip({
  tone,
  children,
  dot = false,
  label,
  hint,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** A 6 px dot before the word: for states. */
  readonly dot?: boolean;
  /** The accessible name, if it differs from the word. */
  readonly label?: string | undefined;
  /** Details in a tooltip. The chip is then focusable, with a dotted underline. */
  readonly hint?: ReactNode;
}) {
  const chip = (
    <span
      className={`num tone tone-${tone}${hint ? ' tone-explained' : ''}`}
      aria-label={label}
      {...(hint ? { tabIndex: 0 } : {})}
    >
      {dot && <span aria-hidden className="tone-dot" />}
      <span className="tone-label">{children}</span>
    </span>
  );
  return hint ? (
    // A touch opens the tooltip immediately, because phones have no hover.
    <Tooltip title={hint} describeChild enterTouchDelay={0} leaveTouchDelay={6000}>
      {chip}
    </Tooltip>
  ) : (
    chip
  );
}
