import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import GlobalStyles from '@mui/material/GlobalStyles';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import ExpandLessOutlinedIcon from '@mui/icons-material/ExpandLessOutlined';
import ExpandMoreOutlinedIcon from '@mui/icons-material/ExpandMoreOutlined';
import RadioButtonUncheckedOutlinedIcon from '@mui/icons-material/RadioButtonUncheckedOutlined';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { readText, writeText } from '../../../lib/storage.js';
import { useIsMobile } from '../../../lib/useMediaFlags.js';
import { FirstStepsDocument, type FirstStepsQuery } from './firstSteps.generated.js';

/**
 * Storage key: `seen`, and `open` or `folded` by the user's choice, while the site has steps to do; `done` once the guide was
 * dismissed, or the site was first seen in use.
 */
const storageKey = 'first-steps';

/** Milliseconds between looks for the first call, once everything that it needs is there. */
const callInterval = 5000;

/** The steps in their order, each with the screen where it is done. */
function stepsOf({ channels, enabledModels, unpricedModels, tokens, users }: FirstStepsQuery) {
  const channel = channels.items[0];
  return [
    { step: 'channel', done: channel !== undefined, to: '/channel/add' },
    // The list begins with channels that passed their test.
    { step: 'test', done: channel?.lastTest?.error === null, to: '/channel' },
    {
      step: 'price',
      done: enabledModels.some((name) => !unpricedModels.includes(name)),
      to: '/setting?tab=operation&section=prices&view=unset',
    },
    { step: 'token', done: tokens.items.length > 0, to: '/token?row=new' },
    { step: 'call', done: (users.items[0]?.requestCount ?? 0) > 0, to: '/playground' },
  ] as const;
}

/** The address of the newest charge, with its receipt. */
function receiptOf({ logs }: FirstStepsQuery): string {
  const [call] = logs.items;
  return call ? `/log?row=${call.id}&rowAt=${Math.floor(Date.parse(call.at) / 1000)}` : '/log';
}

/**
 * The steps to the first charged call of a fresh site, in the corner of every screen of admins. It reads the site again on
 * each screen, and ends with the receipt of the first charge.
 */
export function SetupGuide() {
  const { t } = useTranslation();
  const mobile = useIsMobile();
  const [state, setState] = useState(() => readText(storageKey));
  const { pathname, search } = useLocation();
  // An earlier list of steps stored that it was dismissed.
  const isOver = state === 'done' || state === 'dismissed';
  const { data, refetch, startPolling, stopPolling } = useQuery(
    FirstStepsDocument,
    isOver ? skipToken : { fetchPolicy: 'network-only', errorPolicy: 'none' },
  );
  const place = pathname + search;
  const read = useRef(place);
  useEffect(() => {
    if (isOver || read.current === place) return;
    read.current = place;
    void refetch().catch(() => undefined);
  }, [isOver, place, refetch]);
  const steps = data && stepsOf(data);
  const done = steps?.filter((step) => step.done).length ?? 0;
  const next = steps?.find((step) => !step.done);
  const keep = (value: string) => {
    writeText(storageKey, value);
    setState(value);
  };
  // A site that was in use before needs no guide; one that was set up here ends with its first charge.
  const isStrange = state === null && steps?.find(({ step }) => step === 'call')?.done === true;
  const isKnown = steps !== undefined;
  useEffect(() => {
    if (state !== null || !isKnown) return;
    const first = isStrange ? 'done' : 'seen';
    writeText(storageKey, first);
    setState(first);
  }, [isKnown, isStrange, state]);
  // Everything that a call needs is there; the test of the channel may be left out.
  const waits = steps?.every(({ step, done: isDone }) => isDone === (step !== 'call') || step === 'test') ?? false;
  useEffect(() => {
    if (!waits || isOver) return;
    startPolling(callInterval);
    return stopPolling;
  }, [isOver, startPolling, stopPolling, waits]);
  if (isOver || isStrange || !steps) return null;

  const called = steps.at(-1)?.done === true;
  // The message field of the playground is at the bottom.
  const isAtTop = pathname === '/playground';
  const isFolded = state === 'folded' || ((mobile || isAtTop) && state !== 'open');
  const title = called ? t('firstSteps.finished') : t('firstSteps.title');
  const progress = t('firstSteps.progress', { done, count: steps.length });
  return (
    <>
      {/* What is behind the guide can be scrolled above it. */}
      {!isAtTop && <GlobalStyles styles={{ '#content': { paddingBottom: isFolded ? 64 : 320 } }} />}
      <Paper
        component="section"
        aria-label={t('firstSteps.title')}
        data-corner
        sx={({ vars }) => ({
          position: 'fixed',
          right: 16,
          ...(isAtTop ? { top: 64 } : { bottom: 16 }),
          zIndex: 1050,
          width: isFolded ? 'auto' : 320,
          maxWidth: 'calc(100vw - 32px)',
          padding: isFolded ? '2px 4px 2px 12px' : '10px 12px 8px',
          borderRadius: '10px',
          border: `1px solid ${vars.palette.surface.line}`,
          boxShadow: '0 8px 28px rgba(8, 16, 18, 0.18)',
        })}
      >
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
          <Typography variant="h2" sx={{ fontSize: 14 }}>
            {title}
          </Typography>
          <Box className="num" sx={{ color: 'text.secondary', fontSize: 12.5, mr: 'auto' }}>
            {progress}
          </Box>
          <IconButton
            aria-label={isFolded ? t('firstSteps.unfold') : t('firstSteps.fold')}
            aria-expanded={!isFolded}
            onClick={() => keep(isFolded ? 'open' : 'folded')}
          >
            {isFolded ? <ExpandLessOutlinedIcon /> : <ExpandMoreOutlinedIcon />}
          </IconButton>
          <IconButton aria-label={t('firstSteps.dismiss')} onClick={() => keep('done')}>
            <CloseOutlinedIcon />
          </IconButton>
        </Box>
        {!isFolded && called && (
          <Button variant="contained" fullWidth component={Link} to={receiptOf(data)} sx={{ mt: 1, mb: 0.5 }}>
            {t('firstSteps.receipt')}
          </Button>
        )}
        {!isFolded && !called && (
          <List disablePadding>
            {steps.map(({ step, done: isDone, to }) => (
              <ListItem key={step} disablePadding>
                <ListItemButton
                  component={Link}
                  to={to}
                  sx={{ gap: 1.5, mx: -1, px: 1, py: 0.5, borderRadius: '6px' }}
                  selected={step === next?.step}
                >
                  {isDone ? (
                    <CheckCircleOutlinedIcon color="success" titleAccess={t('firstSteps.done')} />
                  ) : (
                    <RadioButtonUncheckedOutlinedIcon color="disabled" titleAccess={t('firstSteps.open')} />
                  )}
                  <ListItemText
                    primary={t(`firstSteps.${step}`)}
                    secondary={step === next?.step ? t(`firstSteps.${step}Hint`) : null}
                    slotProps={{ primary: { sx: isDone ? { color: 'text.secondary' } : {} } }}
                  />
                </ListItemButton>
              </ListItem>
            ))}
          </List>
        )}
      </Paper>
    </>
  );
}
