import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Question } from './ConfirmDialog.js';
import { lazyPart } from './lazyPart.js';

type Confirm = (question: Question) => Promise<boolean>;

const ConfirmDialog = lazyPart(async () => (await import('./ConfirmDialog.js')).ConfirmDialog);

interface Questions {
  /** @param by identifies the component that asks, for `takeBack` */
  ask(by: object, question: Question): Promise<boolean>;
  takeBack(by: object): void;
}

const ConfirmContext = createContext<Questions>({ ask: () => Promise.resolve(false), takeBack: () => undefined });

/**
 * Returns a function that asks for confirmation and resolves to true if the user confirms. If the asking component
 * unmounts, or another question replaces this one, the dialog closes and the function resolves to false.
 */
export function useConfirm(): Confirm {
  const { ask, takeBack } = useContext(ConfirmContext);
  const [by] = useState(() => ({}));
  useEffect(() => () => takeBack(by), [takeBack, by]);
  return useCallback((question) => ask(by, question), [ask, by]);
}

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const asked = useRef<{ by: object; answer: (yes: boolean) => void } | null>(null);

  const answer = useCallback((yes: boolean) => {
    asked.current?.answer(yes);
    asked.current = null;
    setOpen(false);
  }, []);
  const questions = useMemo<Questions>(
    () => ({
      ask: (by, next) =>
        new Promise((resolve) => {
          asked.current?.answer(false);
          asked.current = { by, answer: resolve };
          setQuestion(next);
          setOpen(true);
        }),
      takeBack: (by) => {
        if (asked.current?.by === by) answer(false);
      },
    }),
    [answer],
  );

  return (
    <ConfirmContext.Provider value={questions}>
      {children}
      {question && <ConfirmDialog question={question} open={open} answer={answer} />}
    </ConfirmContext.Provider>
  );
}
