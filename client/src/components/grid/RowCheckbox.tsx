import type { GridSlotProps } from '@mui/x-data-grid';

/** The box that selects a row. A plain element: a page may have a hundred, all of which change with "select all". */
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
