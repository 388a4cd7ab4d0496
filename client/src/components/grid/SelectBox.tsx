import { isMobile, useIsMobile } from '../../lib/useMediaFlags.js';
import { later } from '../later.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export interface SelectBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly Choice[];
  /** Stands in the closed field for the empty choice. */
  readonly placeholder?: string;
}

const menu = later(async () => (await import('./MenuSelect.js')).MenuSelect);
if (!isMobile()) void menu.preload();

/** One of several, above or below a list. Phones have a better way to choose than a menu, and need nothing for it. */
export function SelectBox({ width, ...props }: SelectBoxProps & { readonly width: number | '100%' }) {
  const mobile = useIsMobile();
  if (!mobile) {
    // The place is there before the menu is, so that nothing moves when it comes.
    return (
      <div style={{ width, height: 32, flexShrink: 0 }}>
        <menu.Part {...props} />
      </div>
    );
  }
  const { label, value, onChange, choices, placeholder } = props;
  return (
    <select
      className={`field field-choice${value === '' && placeholder !== undefined ? ' field-unset' : ''}`}
      style={{ width }}
      aria-label={label}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.value === '' ? (placeholder ?? choice.label) : choice.label}
        </option>
      ))}
    </select>
  );
}
