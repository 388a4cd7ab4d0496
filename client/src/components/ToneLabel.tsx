import type { ReactNode } from 'react';
import type { ToneName } from '../app/theme/tokens.js';

/** `outline` is grey text in a line, for what is neither good nor bad. */
export type Tone = ToneName | 'outline';

export interface ToneLabelProps {
  readonly tone: Tone;
  readonly children: ReactNode;
  /** A 6 px dot before the word: for states. */
  readonly dot?: boolean;
  readonly label?: string | undefined;
  /** The id of more about it: focusable, the word's underline dotted. */
  readonly explainedBy?: string;
}

/** One word on a tint. The meaning is in the word, the colour repeats it. */
export function ToneLabel({ tone, children, dot = false, label, explainedBy }: ToneLabelProps) {
  return (
    <span
      aria-label={label}
      {...(explainedBy ? { tabIndex: 0, 'aria-describedby': explainedBy } : {})}
      className={`num tone tone-${tone}${explainedBy ? ' tone-explained' : ''}`}
    >
      {dot && <span aria-hidden className="tone-dot" />}
      <span>{children}</span>
    </span>
  );
}
