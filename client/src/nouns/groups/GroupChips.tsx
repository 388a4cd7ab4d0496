import { groupTone } from './groupTone.js';
import { ToneChip } from '../../components/Tone.js';
import { listText } from '../../lib/format.js';

/** Groups as chips. Those beyond `shown` are counted, and listed in the tooltip. */
export function GroupChips({ groups, shown = 2 }: { readonly groups: readonly string[]; readonly shown?: number }) {
  const visible = groups.length > shown ? groups.slice(0, Math.max(1, shown - 1)) : groups;
  const more = groups.slice(visible.length);
  return (
    <span className="chips">
      {visible.map((group) => (
        <ToneChip key={group} tone={groupTone(group)}>
          {group}
        </ToneChip>
      ))}
      {more.length > 0 && (
        <ToneChip tone="grey" hint={listText(more)}>
          {`+${more.length}`}
        </ToneChip>
      )}
    </span>
  );
}
