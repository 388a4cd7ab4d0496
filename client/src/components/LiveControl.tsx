import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import PauseOutlinedIcon from '@mui/icons-material/PauseOutlined';
import PlayArrowOutlinedIcon from '@mui/icons-material/PlayArrowOutlined';
import { useTranslation } from 'react-i18next';
import { useIsMobile } from '../lib/useMediaFlags.js';
import { pollMilliseconds, type LiveState } from '../lib/useLive.js';

interface LiveControlProps {
  readonly state: LiveState;
  readonly paused: boolean;
  readonly onPause: (paused: boolean) => void;
}

/** Shows how the list is updated, with a button that pauses updates. */
export function LiveControl({ state, paused, onPause }: LiveControlProps) {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const shown = paused ? 'paused' : state === 'off' ? 'connecting' : state;
  const text = t(`live.${shown}`, { seconds: pollMilliseconds / 1000 });
  const verb = paused ? t('live.resume') : t('live.pause');
  return (
    <Button
      {...(mobile ? { 'aria-label': `${verb} · ${text}` } : {})}
      title={text}
      onClick={() => onPause(!paused)}
      startIcon={paused ? <PlayArrowOutlinedIcon /> : <PauseOutlinedIcon />}
      sx={{ whiteSpace: 'nowrap', ...(mobile ? { minWidth: 0, '& .MuiButton-startIcon': { mr: 0 } } : {}) }}
    >
      {!mobile && verb}{' '}
      <Box
        component="span"
        data-live={shown}
        sx={{
          display: 'inline-flex',
          alignItems: 'center',
          gap: '6px',
          ml: 1,
          color: 'text.secondary',
          fontWeight: 400,
        }}
      >
        <Dot state={shown} />
        {!mobile && text}
      </Box>
    </Button>
  );
}

/**
 * A dot with a text, because colour alone is not accessible. On narrow screens the text is the button's accessible
 * name.
 */
function Dot({ state }: { readonly state: Exclude<LiveState, 'off'> | 'paused' }) {
  const colour = {
    live: 'success.main',
    polling: 'warning.main',
    connecting: 'text.disabled',
    paused: 'text.disabled',
  };
  return (
    <Box
      component="span"
      aria-hidden
      sx={{ width: 7, height: 7, borderRadius: '50%', backgroundColor: colour[state] }}
    />
  );
}

/** Button for rows that arrived while another part of the list was shown. Its space is reserved to avoid layout shifts. */
export function NewRows({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const { t } = useTranslation();
  return (
    <Box role="status" sx={{ display: 'inline-flex' }}>
      {count > 0 && (
        <Button variant="text" onClick={onShow}>
          {t('live.newRows', { count })}
        </Button>
      )}
    </Box>
  );
}
