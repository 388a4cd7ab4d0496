import { useLiveList, type LiveList } from '../../lib/useLiveList.js';
import { ChannelChangedDocument, type ChannelRowFragment } from './channels.generated.js';

/** Live updates of status, response time and balance of the listed channels. */
export function useChannelLive(rows: readonly ChannelRowFragment[] | undefined, reload: () => void): LiveList {
  return useLiveList({
    document: ChannelChangedDocument,
    variables: {},
    changedOf: ({ channelChanged }) => channelChanged,
    rows,
    takesNew: true,
    reload,
  });
}
