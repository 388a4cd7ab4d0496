import { useLiveList, type LiveList } from '../../lib/useLiveList.js';
import { ChannelChangedDocument, type ChannelRowFragment } from './channels.generated.js';

/** Status, response time and balance of the channels on the screen as they change. */
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
