export const live = {
  connecting: 'Connecting',
  live: 'Live',
  newRows_one: '{{count}} new row',
  newRows_other: '{{count}} new rows',
  pause: 'Pause',
  paused: 'Paused',
  polling: 'Every {{seconds}} s',
  resume: 'Resume',
};
