import type { GridSlotProps } from '@mui/x-data-grid';

/**
 * The checkbox that selects a row. It is a plain element, because a page may have a hundred, and "select all" changes
 * all of them.
 */
export function RowCheckbox({
  checked,
  disabled,
  className,
  tabIndex,
  onChange,
  onClick,
  onKeyDown,
  slotProps,
}: GridSlotProps['rowCheckbox']) {
  return (
    <input
      {...slotProps?.htmlInput}
      type="checkbox"
      className={`row-check ${className ?? ''}`}
      checked={checked ?? false}
      disabled={disabled}
      tabIndex={tabIndex}
      onChange={onChange}
      onClick={onClick}
      onKeyDown={onKeyDown}
    />
  );
}
