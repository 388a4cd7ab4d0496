import CircularProgress from '@mui/material/CircularProgress';
import BoltOutlinedIcon from '@mui/icons-material/BoltOutlined';
import { useTranslation } from 'react-i18next';
import { RowMenu } from '../../components/RowMenu.js';
import { RowSwitch } from '../../components/RowSwitch.js';
import type { ChannelCellTools } from './channelCellTools.js';
import type { ChannelRowFragment } from './channels.generated.js';

/** The test button of a channel; its icon spins while the test runs. */
export function TestButton({
  label,
  testing,
  onTest,
}: {
  readonly label: string;
  readonly testing: boolean;
  readonly onTest: () => void;
}) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className="row-button"
      title={t('channels.test')}
      aria-label={label}
      aria-busy={testing}
      onClick={() => {
        if (!testing) onTest();
      }}
    >
      {testing ? <CircularProgress size={14} aria-label={label} /> : <BoltOutlinedIcon />}
    </button>
  );
}

/** Test, menu and switch, for the row and for the card. Users who may not change channels get the menu, with what they may open. */
export function ChannelRowActions({
  row,
  tools,
}: {
  readonly row: ChannelRowFragment;
  readonly tools: ChannelCellTools;
}) {
  const { t, actions, writes } = tools;
  const choose = (label: string, act: (channel: ChannelRowFragment) => unknown) => ({
    label,
    onSelect: () => void act(row),
  });
  const sessions = choose(t('channels.sessions'), tools.openSessions);
  if (!writes) {
    return (
      <RowMenu
        label={t('channels.moreOf', { name: row.name })}
        actions={[choose(t('channels.view'), tools.edit), sessions]}
      />
    );
  }
  return (
    <div className="row-actions">
      <TestButton
        label={t('channels.testOf', { name: row.name })}
        testing={actions.testing.has(row.id)}
        onTest={() => void actions.test(row)}
      />
      <RowMenu
        label={t('channels.moreOf', { name: row.name })}
        actions={[
          choose(t('channels.testModels'), tools.openTests),
          choose(t('actions.edit'), tools.edit),
          choose(t('actions.copy'), actions.copy),
          choose(t('channels.fetchModels'), tools.fetchModels),
          choose(t('channels.setTag'), tools.setTag),
          sessions,
          { ...choose(t('actions.delete'), actions.remove), destructive: true },
        ]}
      />
      <RowSwitch
        label={t('channels.enableOf', { name: row.name })}
        checked={row.status === 'ENABLED'}
        onChange={() => void actions.toggle(row)}
      />
    </div>
  );
}
