/** The palette (Ctrl K) and the list of shortcuts. */
export const palette = {
  title: 'Поиск экранов, настроек, пользователей и каналов',
  placeholder: 'Поиск или переход…',
  nothing: 'Ничего не найдено',
  screens: 'Экраны',
  actions: 'Действия',
  request: 'Найти запрос {{id}}',
  shortcuts: 'Сочетания клавиш',
  addFilter: 'Добавить фильтр к списку',
  focusSearch: 'Перейти в поле поиска списка',
  saveForm: 'Сохранить форму или настройки',
  neighbours: 'Предыдущая и следующая строка в подробностях журнала',
  openRow: 'Открыть строку в фокусе',
  closeTop: 'Закрыть верхнее окно',
};
