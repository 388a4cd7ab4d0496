import type { TFunction } from 'i18next';
import type { Loss } from '../../nouns/prices/belowCost.js';
import type { useFormat } from '../../lib/useFormat.js';
import type { ChannelRowFragment } from './channels.generated.js';
import type { ChannelActions } from './useChannelActions.js';
import type { TagActions } from './useTagActions.js';

/** Models that channels sell below cost, by the ids of the channels. */
export type ChannelLosses = ReadonlyMap<number, readonly Loss[]>;

/** Values that the cells of a channel show, and the actions that they call. */
export interface ChannelCellTools {
  readonly t: TFunction;
  readonly format: ReturnType<typeof useFormat>;
  readonly actions: ChannelActions;
  readonly tags: TagActions;
  readonly typeLabel: (type: ChannelRowFragment['type']) => string;
  readonly losses: ChannelLosses;
  /** Whether the user may change channels. Without it, cells show values only. */
  readonly writes: boolean;
  readonly openTests: (channel: ChannelRowFragment) => void;
  readonly edit: (channel: ChannelRowFragment) => void;
  readonly fetchModels: (channel: ChannelRowFragment) => void;
  readonly openSessions: (channel: ChannelRowFragment) => void;
  readonly setTag: (channel: ChannelRowFragment) => void;
}
