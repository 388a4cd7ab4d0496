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
    <span
      aria-label={label}
      {...(explained ? { tabIndex: 0 } : {})}
      {...rest}
      // Behind what a tooltip hands down, which has a class of its own, if an empty one.
      className={`num tone tone-${tone}${explained ? ' tone-explained' : ''}`}
    >
      {dot && <span aria-hidden className="tone-dot" />}
      <span>{children}</span>
    </span>
  );
}
