import { ChannelSessionsDialog } from './ChannelSessionsDialog.js';
import { BulkEditDialog } from './BulkEditDialog.js';
import { ChannelTestDialog } from './ChannelTestDialog.js';
import { isTagRow, type ChannelListRow } from './channelRows.js';
import type { ChannelRowFragment } from './channels.generated.js';
import { SetTagDialog } from './SetTagDialog.js';
import { TagEditor } from './TagEditor.js';
import { UpstreamModels } from './UpstreamModels.js';

/** The dialog shown over the list, one at a time. The editor is a route of its own. */
export type ChannelPanel =
  | { readonly kind: 'tests' | 'models' | 'sessions'; readonly channel: ChannelRowFragment }
  | { readonly kind: 'setTag'; readonly ids: readonly number[]; readonly tag: string }
  | { readonly kind: 'bulk'; readonly ids: readonly number[] }
  | { readonly kind: 'tag'; readonly tag: string };

export function ChannelPanels({
  panel,
  rows,
  reload,
  onChanged,
  onClose,
}: {
  readonly panel: ChannelPanel | null;
  readonly rows: readonly ChannelListRow[] | undefined;
  readonly reload: () => void;
  /** Called after a change of these channels, with the ids of channels that the server refused. */
  readonly onChanged: (ids: readonly number[], refused: readonly number[]) => void;
  readonly onClose: () => void;
}) {
  switch (panel?.kind) {
    case undefined:
      return null;
    case 'tests':
      return (
        <ChannelTestDialog
          channel={panel.channel}
          onClose={() => {
            onClose();
            reload();
          }}
        />
      );
    case 'models':
      return <UpstreamModels key={panel.channel.id} channel={panel.channel} onClose={onClose} />;
    case 'sessions':
      return <ChannelSessionsDialog channel={panel.channel} onClose={onClose} />;
    case 'setTag':
      return (
        <SetTagDialog
          ids={panel.ids}
          tag={panel.tag}
          onDone={(refused) => {
            onChanged(panel.ids, refused);
            reload();
          }}
          onClose={onClose}
        />
      );
    case 'bulk':
      return (
        <BulkEditDialog
          ids={panel.ids}
          onDone={(refused) => {
            onChanged(panel.ids, refused);
            reload();
          }}
          onClose={onClose}
        />
      );
    case 'tag': {
      const tagRow = rows?.find((row) => isTagRow(row) && row.tagOf === panel.tag);
      const count = tagRow && isTagRow(tagRow) ? tagRow.channels.length : 0;
      return <TagEditor tag={panel.tag} count={count} onSaved={reload} onClosed={onClose} />;
    }
  }
}
