/** Props of a select whose label stands outside, with the id `<id>-label`: a click on it moves the focus to the select. */
export const labelledSelect = (id: string, describedBy?: string) => ({
  labelId: `${id}-label`,
  // An id in `inputProps` would belong to a hidden input, which the label would focus.
  SelectDisplayProps: { id, ...(describedBy ? { 'aria-describedby': describedBy } : {}) },
});
