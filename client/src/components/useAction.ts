import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from './ConfirmProvider.js';
import type { Question } from './ConfirmDialog.js';
import { toast } from './toast.js';

/**
 * @param work a string it resolves to is shown as the result; rejects with the server's error
 * @param question asked first, if given
 * @param failed the message for an error, from its description. Default: the description
 * @returns whether the work was done
 */
export type Action = (
  work: () => Promise<unknown>,
  question?: Question,
  failed?: (reason: string) => string,
) => Promise<boolean>;

/** Returns a function that runs an action of the user and shows its result or its error as a toast. */
export function useAction(): Action {
  const { t } = useTranslation();
  const confirm = useConfirm();
  return useCallback(
    async (work, question, failed) => {
      if (question && !(await confirm(question))) return false;
      try {
        const message = await work();
        if (typeof message === 'string') toast.success(message);
        return true;
      } catch (error) {
        toast.failure(error, t, failed);
        return false;
      }
    },
    [confirm, t],
  );
}
