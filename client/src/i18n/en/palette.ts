/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: 'Search screens, settings, users and channels',
  placeholder: 'Search or jump to…',
  nothing: 'Nothing found',
  screens: 'Screens',
  actions: 'Actions',
  request: 'Find request {{id}}',
  shortcuts: 'Keyboard shortcuts',
  addFilter: 'Add a filter to a list',
  focusSearch: 'Focus the search field of a list',
  saveForm: 'Save a form or the settings',
  neighbours: 'Previous and next row in the detail of a log row',
  openRow: 'Open the row in focus',
  closeTop: 'Close what is on top',
};
