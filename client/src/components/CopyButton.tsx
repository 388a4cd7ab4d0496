import IconButton from '@mui/material/IconButton';
import CheckOutlinedIcon from '@mui/icons-material/CheckOutlined';
import ContentCopyOutlinedIcon from '@mui/icons-material/ContentCopyOutlined';
import { useEffect, useRef, useState } from 'react';
import { useCopy } from './CopyProvider.js';

/** Copies, then shows a check mark for 1.5 s. A function as `value` is called on click. */
export function CopyButton({
  value,
  label,
  shown,
  size = 28,
}: {
  readonly value: string | (() => Promise<string>);
  /** The accessible name, with the object: "Copy key of prod-web". */
  readonly label: string;
  /** Value shown in the toast: a masked text for keys, empty for none. Default: the value. */
  readonly shown?: string;
  readonly size?: number;
}) {
  const copy = useCopy();
  const [done, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const press = async () => {
    if (!(await copy(value, shown))) return;
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), 1500);
  };

  return (
    <IconButton
      aria-label={label}
      sx={{
        width: size,
        height: size,
        color: done ? 'success.main' : undefined,
        '& svg': { fontSize: size < 28 ? 15 : 16 },
      }}
      onClick={(event) => {
        event.stopPropagation();
        void press();
      }}
    >
      {done ? <CheckOutlinedIcon /> : <ContentCopyOutlinedIcon />}
    </IconButton>
  );
}
