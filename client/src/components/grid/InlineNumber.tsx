import { styled } from '@mui/material/styles';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '../toast.js';

/** A plain field. A list has two in each row, and rendering the library's form control takes many times as long. */
const Field = styled('input')(({ theme: { vars } }) => ({
  width: '100%',
  height: 26,
  marginRight: -7,
  padding: '2px 6px',
  border: '1px solid transparent',
  borderRadius: 4,
  outline: 0,
  backgroundColor: 'transparent',
  color: 'inherit',
  font: 'inherit',
  fontSize: 13,
  textAlign: 'right',
  '&:hover': { borderColor: vars.palette.surface.lineStrong },
  '&:focus': { borderColor: vars.palette.primary.main, backgroundColor: vars.palette.background.paper },
}));

/**
 * A number that looks like text and can be edited in place: Enter or blur saves, Escape reverts. A number outside
 * the range is set to its nearer end. A text that is no whole number is reported and reverted.
 */
export function InlineNumber({
  value,
  label,
  minimum,
  maximum = 1_000_000_000,
  onSave,
}: {
  /** The value. Null for several different values, which are shown as a dash. */
  readonly value: number | null;
  readonly label: string;
  readonly minimum: number;
  readonly maximum?: number;
  /** Rejects when the server refused the value; the old one is shown again. */
  readonly onSave: (value: number) => Promise<void>;
}) {
  const { t } = useTranslation();
  const shown = value === null ? '' : String(value);
  const [text, setText] = useState(shown);
  const saving = useRef(false);
  /** A value that was entered while another one is being saved. */
  const waiting = useRef<string | null>(null);
  useEffect(() => {
    setText(shown);
  }, [shown]);

  const save = async (entered: string, before: string): Promise<void> => {
    if (saving.current) {
      waiting.current = entered;
      return;
    }
    if (entered === before) return;
    const typed = entered.trim() === '' ? Number.NaN : Number(entered);
    const next = Math.min(maximum, Math.max(minimum, typed));
    const saved = String(next);
    if (!Number.isInteger(next) || saved === before) {
      setText(before);
      if (!Number.isInteger(next)) toast.error(t('form.wholeNumber'));
      return;
    }
    setText(saved);
    saving.current = true;
    const isSaved = await onSave(next).then(
      () => true,
      () => false,
    );
    saving.current = false;
    const later = waiting.current;
    waiting.current = null;
    if (later !== null && later !== saved) await save(later, isSaved ? saved : before);
    else if (!isSaved) setText(before);
  };

  return (
    <Field
      value={text}
      placeholder="–"
      aria-label={label}
      inputMode="numeric"
      className="num"
      onChange={(event) => setText(event.target.value)}
      onBlur={() => void save(text, shown)}
      onKeyDown={(event) => {
        // The grid has its own meaning for these keys.
        event.stopPropagation();
        if (event.key === 'Enter') void save(text, shown);
        if (event.key === 'Escape') setText(shown);
      }}
    />
  );
}
