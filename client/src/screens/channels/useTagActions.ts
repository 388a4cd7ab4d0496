import { useApolloClient, useMutation } from '@apollo/client/react';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../components/ConfirmProvider.js';
import { toast } from '../../components/toast.js';
import {
  DisableChannelTagDocument,
  EnableChannelTagDocument,
  TestChannelDocument,
  UpdateChannelTagDocument,
  type ChannelRowFragment,
  type UpdateChannelTagInput,
} from './channels.generated.js';
import type { TagRow } from './channelRows.js';
import { runThree } from './runThree.js';

export type TagPatch = Omit<UpdateChannelTagInput, 'tag'>;

/** Actions on all channels of a tag. */
export interface TagActions {
  /** Tags whose test is running. */
  readonly testing: ReadonlySet<string>;
  toggleOpen(tag: string): void;
  edit(tag: string): void;
  test(row: TagRow): Promise<void>;
  setEnabled(row: TagRow, enabled: boolean): Promise<void>;
  /** Rejects when the server refused, so that the cell shows the old value. */
  patch(row: TagRow, patch: TagPatch): Promise<void>;
}

export function useTagActions(options: {
  readonly refetch: () => void;
  readonly toggleOpen: (tag: string) => void;
  readonly edit: (tag: string) => void;
}): TagActions {
  const { refetch, toggleOpen, edit } = options;
  const { t } = useTranslation();
  const confirm = useConfirm();
  const client = useApolloClient();
  const [runEnable] = useMutation(EnableChannelTagDocument);
  const [runDisable] = useMutation(DisableChannelTagDocument);
  const [runPatch] = useMutation(UpdateChannelTagDocument);
  const [testing, setTesting] = useState<ReadonlySet<string>>(new Set());

  const passes = useCallback(
    async (channel: ChannelRowFragment): Promise<boolean> => {
      const variables = { id: channel.id };
      const answer = await client.mutate({ mutation: TestChannelDocument, variables }).catch(() => null);
      return answer?.data?.testChannel.__typename === 'ChannelTestPassed';
    },
    [client],
  );

  return useMemo(
    () => ({
      testing,
      toggleOpen,
      edit,
      test: async ({ tagOf: tag, channels }) => {
        setTesting((current) => new Set(current).add(tag));
        let passed = 0;
        await runThree(channels, async (channel) => {
          if (await passes(channel)) passed += 1;
        });
        setTesting((current) => new Set([...current].filter((other) => other !== tag)));
        const text = t('channels.tagTested', { tag, passed, count: channels.length });
        if (passed === channels.length) toast.success(text);
        else toast.error(text);
        refetch();
      },
      setEnabled: async ({ tagOf: tag, channels }, enabled) => {
        const question = {
          title: t('channels.disableTagTitle', { tag, count: channels.length }),
          body: t('channels.disableTagBody'),
          verb: t('channels.disableAll'),
        };
        if (!enabled && !(await confirm(question))) return;
        await (enabled ? runEnable : runDisable)({ variables: { tag } }).catch((error: unknown) =>
          toast.failure(error, t),
        );
        refetch();
      },
      patch: async ({ tagOf: tag }, input) => {
        try {
          await runPatch({ variables: { input: { tag, ...input } } });
          refetch();
        } catch (error) {
          toast.failure(error, t);
          throw error;
        }
      },
    }),
    [confirm, edit, passes, refetch, runDisable, runEnable, runPatch, t, testing, toggleOpen],
  );
}
