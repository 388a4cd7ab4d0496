import { skipToken, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import IconButton from '@mui/material/IconButton';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import CheckCircleOutlinedIcon from '@mui/icons-material/CheckCircleOutlined';
import CloseOutlinedIcon from '@mui/icons-material/CloseOutlined';
import RadioButtonUncheckedOutlinedIcon from '@mui/icons-material/RadioButtonUncheckedOutlined';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { adminRole, useSession } from '../../lib/session.js';
import { readText, writeText } from '../../lib/storage.js';
import { FirstStepsDocument, type FirstStepsQuery } from './firstSteps.generated.js';

/** Storage key. Set once the list was dismissed, or the site was seen in use. */
const storageKey = 'first-steps';

/** Whether a user of the site has made a call. */
const isInUse = ({ users }: FirstStepsQuery): boolean => (users.items[0]?.requestCount ?? 0) > 0;

/** The steps in their order, each with the screen where it is done. */
function stepsOf({ channels, enabledModels, unpricedModels, tokens }: FirstStepsQuery) {
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
    { step: 'call', done: false, to: '/playground' },
  ] as const;
}

/**
 * The steps to the first call of a fresh site, for admins. Renders nothing once a call was made, or after it was
 * dismissed.
 */
export function FirstSteps() {
  const { t } = useTranslation();
  const isAdmin = (useSession()?.role ?? 0) >= adminRole;
  const [isHidden, setHidden] = useState(() => readText(storageKey) !== null);
  const { data } = useQuery(
    FirstStepsDocument,
    isAdmin && !isHidden ? { fetchPolicy: 'network-only', errorPolicy: 'none' } : skipToken,
  );
  const inUse = data !== undefined && isInUse(data);
  useEffect(() => {
    if (inUse) writeText(storageKey, 'done');
  }, [inUse]);
  if (!isAdmin || isHidden || !data || inUse) return null;

  const steps = stepsOf(data);
  const done = steps.filter((step) => step.done).length;
  const dismiss = () => {
    writeText(storageKey, 'dismissed');
    setHidden(true);
  };
  return (
    <Card component="section" aria-label={t('firstSteps.title')} sx={{ padding: '12px 16px 8px', minWidth: 0 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5 }}>
        <Typography variant="h2" sx={{ fontSize: 14 }}>
          {t('firstSteps.title')}
        </Typography>
        <Box className="num" sx={{ color: 'text.secondary', fontSize: 13, mr: 'auto' }}>
          {t('firstSteps.progress', { done, count: steps.length })}
        </Box>
        <IconButton aria-label={t('firstSteps.dismiss')} onClick={dismiss}>
          <CloseOutlinedIcon />
        </IconButton>
      </Box>
      <List disablePadding>
        {steps.map(({ step, done: isDone, to }) => (
          <ListItem key={step} disablePadding>
            <ListItemButton component={Link} to={to} sx={{ gap: 1.5, mx: -1, px: 1, borderRadius: '6px' }}>
              {isDone ? (
                <CheckCircleOutlinedIcon color="success" titleAccess={t('firstSteps.done')} />
              ) : (
                <RadioButtonUncheckedOutlinedIcon color="disabled" titleAccess={t('firstSteps.open')} />
              )}
              <ListItemText
                primary={t(`firstSteps.${step}`)}
                secondary={t(`firstSteps.${step}Hint`)}
                slotProps={{ primary: { sx: isDone ? { color: 'text.secondary' } : {} } }}
              />
            </ListItemButton>
          </ListItem>
        ))}
      </List>
    </Card>
  );
}
