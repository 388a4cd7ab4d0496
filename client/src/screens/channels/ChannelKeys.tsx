import { useMutation, useQuery } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import MuiLink from '@mui/material/Link';
import OutlinedInput from '@mui/material/OutlinedInput';
import DeleteOutlinedIcon from '@mui/icons-material/DeleteOutlineOutlined';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { DrawerSection } from '../../components/SideDrawer.js';
import { ToneChip } from '../../components/Tone.js';
import { useAction } from '../../components/useAction.js';
import { count, responseTime } from '../../lib/format.js';
import { useMay } from '../../lib/permissions.js';
import { keyAddress } from '../../nouns/objects/addresses.js';
import { FailedAttemptsDocument, type FailedAttemptsQuery } from '../../nouns/objects/objects.generated.js';
import { splitKeys } from './channelForm.js';
import {
  AddChannelKeysDocument,
  RemoveChannelKeyDocument,
  TestChannelDocument,
  type ChannelRowFragment,
} from './channels.generated.js';
import { TestButton } from './ChannelRowActions.js';
import { CooldownChip } from './ChannelHealth.js';

type Key = ChannelRowFragment['keys'][number];
type KeyFailure = FailedAttemptsQuery['keyFailures'][number];

/** `null`: the test runs; `message` is empty when the key works. */
type TestResult = { readonly message: string; readonly milliseconds: number } | null;

/** The stored keys: state, last four characters; test, add and remove for those who may change channels. The keys themselves are never shown. */
export function KeysSection({
  channel,
  typed = '',
  onTyped,
}: {
  readonly channel: ChannelRowFragment;
  /** Keys that are typed and not added yet. */
  readonly typed?: string;
  /** Called with typed keys. Absent when no keys can be added. */
  readonly onTyped?: (typed: string) => void;
}) {
  const { t } = useTranslation();
  const act = useAction();
  const writes = useMay('CHANNELS_WRITE');
  const [add, adding] = useMutation(AddChannelKeysDocument);
  const [remove] = useMutation(RemoveChannelKeyDocument);
  const [test] = useMutation(TestChannelDocument);
  const [results, setResults] = useState<Readonly<Record<string, TestResult>>>({});
  const { keys, id } = channel;
  const failures = useQuery(FailedAttemptsDocument, {
    variables: { filter: { channelIds: [id] } },
    fetchPolicy: 'cache-and-network',
  }).data?.keyFailures;
  if (channel.type.provider === 'VERTEX_AI' || keys.length === 0) return null;

  // Removing a key moves the keys behind it.
  const nameOf = ({ position, ending }: Key) => `${position} ${ending}`;
  const run = (key: Key) =>
    act(async () => {
      const show = (result: TestResult) => setResults((all) => ({ ...all, [nameOf(key)]: result }));
      show(null);
      try {
        const { data } = await test({ variables: { id, key: key.position } });
        const result = data?.testChannel;
        if (result?.__typename === 'ChannelTestPassed') show({ message: '', milliseconds: result.milliseconds });
        else show({ message: result?.message ?? '', milliseconds: 0 });
      } catch (error) {
        setResults(({ [nameOf(key)]: _, ...others }) => others);
        throw error;
      }
    });
  const addTyped = () =>
    act(async () => {
      const fresh = splitKeys(channel.type.provider ?? '', typed);
      const { data } = await add({ variables: { id, keys: fresh } });
      onTyped?.('');
      return t('channels.keysAdded', { count: (data?.addChannelKeys.channel.keys.length ?? 0) - keys.length });
    });
  const drop = (key: Key) =>
    act(
      async () => {
        await remove({ variables: { id, position: key.position, ending: key.ending } });
        setResults({});
        return t('channels.keyRemoved');
      },
      {
        title: t('channels.keyRemoveTitle', { key: t('channels.cooldownKey', key) }),
        body: t('channels.keyRemoveBody'),
      },
    );

  return (
    <DrawerSection title={t('channels.storedKeys', { count: keys.length })} explanation={t('channels.storedKeysText')}>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {keys.map((key) => {
          const name = t('channels.cooldownKey', key);
          const result = results[nameOf(key)];
          return (
            <Box
              component="li"
              key={nameOf(key)}
              sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, minHeight: 36 }}
            >
              <MuiLink component={Link} to={keyAddress(id, key.position)} color="inherit" className="num mono">
                {name}
              </MuiLink>
              <KeyChip
                channel={channel}
                shown={key}
                failures={failures?.filter(({ last }) => last.keyEnding === key.ending)}
              />
              <Box sx={{ flex: 1, minWidth: 0, fontSize: 12 }} role="status">
                {result && (
                  <Box component="span" sx={{ color: result.message ? 'error.main' : 'success.main' }}>
                    {result.message || t('channels.keyWorks', { time: responseTime(result.milliseconds) })}
                  </Box>
                )}
              </Box>
              {writes && (
                <>
                  <TestButton
                    label={t('channels.keyTest', { key: name })}
                    testing={result === null}
                    onTest={() => void run(key)}
                  />
                  <IconButton
                    aria-label={t('channels.keyRemove', { key: name })}
                    disabled={keys.length === 1}
                    onClick={() => void drop(key)}
                  >
                    <DeleteOutlinedIcon />
                  </IconButton>
                </>
              )}
            </Box>
          );
        })}
      </Box>
      {writes && onTyped && (
        <Box sx={{ display: 'flex', gap: 1, mt: 1 }}>
          <OutlinedInput
            fullWidth
            value={typed}
            onChange={(event) => onTyped(event.target.value)}
            placeholder={t('channels.keysAddPlaceholder')}
            inputProps={{
              'aria-label': t('channels.keysAdd'),
              className: 'mono',
              autoComplete: 'off',
              spellCheck: false,
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // Enter would save the form.
              event.preventDefault();
              if (typed.trim() !== '') void addTyped();
            }}
          />
          <Button
            variant="outlined"
            loading={adding.loading}
            disabled={typed.trim() === ''}
            onClick={() => void addTyped()}
            sx={{ flexShrink: 0 }}
          >
            {t('channels.keysAdd')}
          </Button>
        </Box>
      )}
    </DrawerSection>
  );
}

const states = {
  USED: { tone: 'green', label: 'channels.keyUsed' },
  REFUSED: { tone: 'red', label: 'channels.keyRefused' },
  PAUSED: { tone: 'amber', label: 'channels.keyPaused' },
} as const;

/** The cooldown of the key, else its state. A key that failed lately is not shown as healthy. */
export function KeyChip({
  channel,
  shown,
  failures,
}: {
  readonly channel: Pick<ChannelRowFragment, 'status'>;
  readonly shown: Key;
  /** The failures of the key in the last 24 hours. Undefined while they load. */
  readonly failures: readonly KeyFailure[] | undefined;
}) {
  const { t } = useTranslation();
  const { tone, label } = states[shown.status];
  const attempts = failures?.reduce((sum, one) => sum + one.attempts, 0) ?? 0;
  return (
    <>
      <CooldownChip
        channel={{ status: channel.status, keys: [shown] }}
        otherwise={
          <ToneChip tone={attempts > 0 && tone === 'green' ? 'outline' : tone} dot>
            {t(label)}
          </ToneChip>
        }
      />
      {attempts > 0 && (
        <ToneChip
          tone="red"
          hint={failures?.map(({ last }) => (
            <Box key={last.id}>{last.error}</Box>
          ))}
        >
          {t('objects.failedTimes', { count: attempts, times: count(attempts) })}
        </ToneChip>
      )}
    </>
  );
}
