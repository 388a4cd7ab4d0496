import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import MuiLink from '@mui/material/Link';
import { Dash, Num } from '../../components/Text.js';
import { ToneChip } from '../../components/Tone.js';
import { percent as share, timeIn } from '../../lib/format.js';
import { secondsBetween } from './taskFilter.js';

/** A progress bar with its percentage. */
export function Progress({ percent, label }: { readonly percent: number; readonly label: string }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <LinearProgress variant="determinate" value={percent} aria-label={label} sx={{ width: 96, flexShrink: 0 }} />
      <Num>{share(Math.trunc(percent) / 100)}</Num>
    </Box>
  );
}

/** The duration of a task; for drawings red above one minute. */
export function TaskDuration({
  from,
  to,
  rated = false,
}: {
  readonly from: string;
  readonly to: string | null | undefined;
  readonly rated?: boolean;
}) {
  const seconds = secondsBetween(from, to);
  if (seconds === null) return <Dash />;
  const tone = !rated ? 'grey' : seconds > 60 ? 'red' : 'green';
  return <ToneChip tone={tone}>{timeIn('s', Math.trunc(seconds))}</ToneChip>;
}

/** The first line of a text; a click shows the full text. */
export function OneLine({
  text,
  onOpen,
  failed = false,
  mono = false,
}: {
  readonly text: string | null | undefined;
  readonly onOpen: (text: string) => void;
  readonly failed?: boolean;
  readonly mono?: boolean;
}) {
  if (!text) return <Dash />;
  return (
    <MuiLink
      component="button"
      underline="hover"
      noWrap
      className={mono ? 'mono' : ''}
      onClick={() => onOpen(text)}
      sx={{
        display: 'block',
        maxWidth: '100%',
        minWidth: 0,
        fontSize: 13,
        color: failed ? 'error.main' : 'text.primary',
        textAlign: 'left',
      }}
    >
      {text}
    </MuiLink>
  );
}
