import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';
import { later } from './later.js';

export interface Question {
  /** Names the object: Delete channel “Azure East US 2”? */
  readonly title: string;
  /** What follows from a yes. */
  readonly body?: string;
  /** The button: a verb. */
  readonly verb: string;
  readonly destructive?: boolean;
  /** Default: Cancel. */
  readonly no?: string;
}

type Confirm = (question: Question) => Promise<boolean>;

const dialog = later(async () => (await import('./ConfirmDialog.js')).ConfirmDialog);

/** For screens that ask something sooner or later. */
export const preloadQuestions = dialog.preload;

const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false));

/** Asks before what cannot be undone. Resolves true for yes. */
export const useConfirm = (): Confirm => useContext(ConfirmContext);

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [asked, setAsked] = useState<{ question: Question; answer: (yes: boolean) => void } | null>(null);

  const confirm = useCallback<Confirm>(
    (question) =>
      new Promise((resolve) => {
        setAsked({ question, answer: resolve });
        setOpen(true);
      }),
    [],
  );
  const answer = (yes: boolean) => {
    asked?.answer(yes);
    setOpen(false);
  };

  return (
    <ConfirmContext.Provider value={confirm}>
      {children}
      {asked && <dialog.Part question={asked.question} open={open} answer={answer} />}
    </ConfirmContext.Provider>
  );
}
