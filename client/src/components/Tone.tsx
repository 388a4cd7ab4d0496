import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';
import { ToneLabel, type Tone, type ToneLabelProps } from './ToneLabel.js';

export type { Tone };

export interface ToneChipProps extends Pick<ToneLabelProps, 'tone' | 'children' | 'dot' | 'label'> {
  /** More about it; makes the chip focusable and dots the word's underline. */
  readonly hint?: ReactNode;
}

/** One word on a tint, with more about it in a tooltip where there is more. */
export function ToneChip({ hint, ...chip }: ToneChipProps) {
  return hint ? (
    <Tooltip title={hint} describeChild>
      <ToneLabel {...chip} explained />
    </Tooltip>
  ) : (
    <ToneLabel {...chip} />
  );
}
