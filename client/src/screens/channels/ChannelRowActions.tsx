import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import IconButton from '@mui/material/IconButton';
import Switch from '@mui/material/Switch';
import Tooltip from '@mui/material/Tooltip';
import BoltOutlinedIcon from '@mui/icons-material/BoltOutlined';
import { useTranslation } from 'react-i18next';
import { RowMenu } from '../../components/RowMenu.js';
import type { ChannelCellTools } from './channelColumns.js';
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
    <Tooltip title={t('channels.test')}>
      <IconButton
        aria-label={label}
        aria-busy={testing}
        sx={{ width: 28, height: 28 }}
        onClick={() => {
          if (!testing) onTest();
        }}
      >
        {testing ? <CircularProgress size={14} aria-label={label} /> : <BoltOutlinedIcon />}
      </IconButton>
    </Tooltip>
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
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
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
      <Switch
        checked={row.status === 'ENABLED'}
        onChange={() => void actions.toggle(row)}
        slotProps={{ input: { 'aria-label': t('channels.enableOf', { name: row.name }) } }}
        sx={{ ml: 0.5 }}
      />
    </Box>
  );
}
