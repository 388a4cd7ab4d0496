import { useId, type ReactNode } from 'react';
import { Tip } from './Tip.js';
import { ToneLabel, type Tone, type ToneLabelProps } from './ToneLabel.js';

export type { Tone };

export interface ToneChipProps extends Pick<ToneLabelProps, 'tone' | 'children' | 'dot' | 'label'> {
  /** More about it; makes the chip focusable and dots the word's underline. */
  readonly hint?: ReactNode;
}

/** One word on a tint, with more about it in a tooltip where there is more. */
export function ToneChip({ hint, ...chip }: ToneChipProps) {
  const description = useId();
  return hint ? (
    <Tip title={hint} description={description}>
      <ToneLabel {...chip} explainedBy={description} />
    </Tip>
  ) : (
    <ToneLabel {...chip} />
  );
}
