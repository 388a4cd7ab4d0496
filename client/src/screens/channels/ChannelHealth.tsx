import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useMutation } from '@apollo/client/react';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DrawerSection } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { toast } from '../../components/toast.js';
import { timeIn } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { ClearChannelCooldownsDocument, type ChannelRowFragment } from './channels.generated.js';

type Key = ChannelRowFragment['keys'][number];
type Cooldown = Key['cooldowns'][number];

interface KeyCooldown {
  readonly key: Key;
  readonly cooldown: Cooldown;
}

const cooldownsOf = ({ keys }: Pick<ChannelRowFragment, 'keys'>): KeyCooldown[] =>
  keys.flatMap((key) => key.cooldowns.map((cooldown) => ({ key, cooldown })));

const untilOf = ({ cooldown }: KeyCooldown): number => new Date(cooldown.until).getTime();

/** The current time, each second while something waits for it. */
function useNow(active: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}

/** Formats a remaining time: seconds below two minutes, then minutes, then hours. */
function cooldownTime(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 120) return timeIn('s', seconds);
  return seconds < 7200 ? timeIn('min', Math.ceil(seconds / 60)) : timeIn('h', Math.ceil(seconds / 3600));
}

/** The reason of a cooldown and the time that is left of it. */
function useCooldownText(): (one: KeyCooldown, now: number) => string {
  const { t } = useTranslation();
  return (one, now) => {
    const reason = t(`channels.cooldownReasons.${one.cooldown.reason}`);
    if (one.cooldown.reason === 'REFUSED') return reason;
    const left = untilOf(one) - now;
    return left > 0
      ? t('channels.cooldownLeft', { reason, time: cooldownTime(left) })
      : t('channels.cooldownOver', { reason });
  };
}

/** A chip while keys of the channel are in cooldown, with the time until the last of them is tried again. */
export function CooldownChip({
  channel,
  otherwise = null,
}: {
  readonly channel: Pick<ChannelRowFragment, 'keys' | 'status'>;
  /** Shown while no key is in cooldown. */
  readonly otherwise?: ReactNode;
}) {
  const { t } = useTranslation();
  const textOf = useCooldownText();
  const cooldowns = cooldownsOf(channel);
  const now = useNow(cooldowns.length > 0);
  const waiting = cooldowns.filter((one) => untilOf(one) > now);
  if (waiting.length === 0 || channel.status !== 'ENABLED') return otherwise;
  const shown = waiting.reduce((last, one) => (untilOf(one) > untilOf(last) ? one : last));
  const hint = waiting.map((one) => (
    <Box key={`${one.key.position}/${one.cooldown.model}`}>
      {t('channels.cooldownKey', { position: one.key.position, ending: one.key.ending })}{' '}
      {one.cooldown.model ?? t('channels.cooldownAllModels')}: {textOf(one, now)}
    </Box>
  ));
  return (
    <ToneChip tone="amber" dot hint={<>{hint}</>}>
      {shown.cooldown.reason === 'REFUSED'
        ? textOf(shown, now)
        : t('channels.cooldownShort', { time: cooldownTime(untilOf(shown) - now) })}
    </ToneChip>
  );
}

/** The keys in cooldown, and a button that clears the cooldowns for users who may. Renders nothing while all keys serve calls. */
export function HealthSection({ channel }: { readonly channel: ChannelRowFragment }) {
  const { t } = useTranslation();
  const act = useAction();
  const textOf = useCooldownText();
  const [clear, { loading }] = useMutation(ClearChannelCooldownsDocument);
  const writes = useMay('CHANNELS_WRITE');
  const cooldowns = cooldownsOf(channel);
  const now = useNow(cooldowns.length > 0);
  if (cooldowns.length === 0) return null;
  return (
    <DrawerSection title={t('channels.cooldowns')} explanation={t('channels.cooldownsText')}>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, display: 'flex', flexDirection: 'column', gap: 1 }}>
        {cooldowns.map((one) => (
          <Box
            component="li"
            key={`${one.key.position}/${one.cooldown.model}`}
            sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}
          >
            <Box component="span" className="num">
              {t('channels.cooldownKey', { position: one.key.position, ending: one.key.ending })}
            </Box>
            <Box component="span">{one.cooldown.model ?? t('channels.cooldownAllModels')}</Box>
            <ToneChip tone={one.cooldown.reason === 'REFUSED' ? 'red' : 'amber'} dot>
              {textOf(one, now)}
            </ToneChip>
          </Box>
        ))}
      </Box>
      {writes && (
        <Button
          variant="outlined"
          size="small"
          sx={{ mt: 1.5, alignSelf: 'flex-start' }}
          loading={loading}
          onClick={() =>
            void act(async () => {
              await clear({ variables: { id: channel.id } });
              toast.success(t('channels.cooldownsCleared'));
            })
          }
        >
          {t('channels.clearCooldowns')}
        </Button>
      )}
    </DrawerSection>
  );
}
