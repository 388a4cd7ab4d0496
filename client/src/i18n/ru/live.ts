export const live = {
  connecting: 'Подключение',
  live: 'Онлайн',
  newRows_one: '{{count}} новая строка',
  newRows_few: '{{count}} новые строки',
  newRows_many: '{{count}} новых строк',
  newRows_other: '{{count}} новых строки',

  pause: 'Пауза',
  paused: 'На паузе',
  polling: 'Каждые {{seconds}} с',
  resume: 'Продолжить',
};
